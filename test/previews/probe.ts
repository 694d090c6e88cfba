// What a program that is not ours says of a file that was made.
import { execFile } from 'node:child_process';
import { chmod } from 'node:fs/promises';
import { promisify } from 'node:util';
import { path } from '@ffprobe-installer/ffprobe';

export interface ProbedStream {
  readonly codec_type: 'video' | 'audio';
  readonly codec_name: string;
  readonly pix_fmt?: string;
  readonly width?: number;
  readonly height?: number;
  /** A fraction: `25/1`. */
  readonly avg_frame_rate: string;
  readonly nb_read_frames: string;
  readonly start_time: string;
  readonly duration?: string;
  readonly tags?: Readonly<Record<string, string>>;
}

export interface Probed {
  readonly streams: readonly ProbedStream[];
  readonly format: {
    readonly format_name: string;
    /** Seconds. */
    readonly duration: string;
    readonly tags?: Readonly<Record<string, string>>;
  };
}

/** All frames are decoded and counted; a file with an error in it is an exception. */
export async function probe(file: string): Promise<Probed> {
  // Its package does not mark it as a program everywhere.
  await chmod(path, 0o755);
  const asked = ['-v', 'error', '-count_frames', '-show_streams', '-show_format', '-of', 'json'];
  const { stdout, stderr } = await promisify(execFile)(path, [...asked, file]);
  if (stderr !== '') throw new Error(stderr);
  return JSON.parse(stdout);
}
