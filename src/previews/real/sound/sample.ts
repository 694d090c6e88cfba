// The recording that a cloned voice comes from: whether it is one, and how high the voice in it is.
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import type { ProjectError } from '../../../contract/api/project.ts';
import { err, ok, type Result } from '../../../contract/base/result.ts';
import { digestOfFile } from '../../base/key.ts';
import type { RenderInput } from '../../base/request.ts';
import { pitchOf } from './pitch.ts';
import { recordingOf } from './recording.ts';

export interface VoiceSample {
  /** Differs from sample to sample: the SHA-256 of its content, or of its reference where the content is not here. */
  readonly digest: string;
  /** In hertz, where it can be heard. */
  readonly pitch: number | undefined;
}

/** Half a minute of a voice says how high it is. */
const heardBytes = 4_000_000;

/** How sound files begin (facts.md, Uploads), in hexadecimal; a dot is any digit. */
const beginnings: readonly RegExp[] = [
  // RIFF…WAVE
  /^52494646........57415645/,
  // ID3, before MPEG sound; frames of MPEG sound, layers 1 to 3, and of AAC; ADIF, before AAC.
  /^494433/,
  /^ff[ef]/,
  /^41444946/,
  // fLaC, OggS, FORM…AIF
  /^664c6143/,
  /^4f676753/,
  /^464f524d........414946/,
  // …ftyp of MPEG-4, EBML of Matroska and WebM, MPEG program streams.
  /^........66747970/,
  /^1a45dfa3/,
  /^000001b[3a]/,
];

export async function voiceSample({
  file,
  reference,
  field,
}: RenderInput): Promise<Result<VoiceSample, ProjectError>> {
  if (file === undefined) {
    // Somebody else's URL, which is not fetched: its name stands for the voice.
    return ok({ digest: createHash('sha256').update(reference).digest('hex'), pitch: undefined });
  }
  const head = await headOf(file);
  const text = head.toString('hex', 0, 16);
  if (!beginnings.some((beginning) => beginning.test(text)))
    return err({
      code: 'invalid_voice',
      message: `The recording of ${field} (${reference}) cannot be read: not a sound format that is taken`,
    });
  const recording = recordingOf(head);
  const pitch = recording === undefined ? undefined : pitchOf(recording);
  return ok({ digest: await digestOfFile(file), pitch });
}

async function headOf(file: string): Promise<Buffer> {
  const handle = await open(file);
  try {
    const { size } = await handle.stat();
    const length = Math.min(size, heardBytes);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}
