// How a file with a given extension is encoded. The settings give the same bytes on a busy machine as on an idle one: one thread, no look ahead (x264's runs on a thread of its own, and what it has found when a frame is
// written depends on the load), and no encoder that watches the clock.
import { extname } from 'node:path';

export interface ClipFormat {
  /** Pixels, even. */
  readonly width: number;
  readonly height: number;
  /** Pictures a second. */
  readonly fps: number;
}

export interface Encoding {
  readonly muxer: string;
  readonly video: 'libx264' | 'libvpx';
  readonly videoOptions: Readonly<Record<string, string>>;
  readonly audio: 'aac' | 'libopus';
  readonly muxerOptions: Readonly<Record<string, string>>;
}

const bitexact = '+bitexact';

const encodings: Readonly<Record<string, Encoding>> = {
  '.mp4': {
    muxer: 'mp4',
    video: 'libx264',
    videoOptions: {
      preset: 'veryfast',
      crf: '20',
      'x264-params':
        'threads=1:lookahead-threads=1:no-mbtree=1:rc-lookahead=0:sync-lookahead=0:bframes=0',
    },
    audio: 'aac',
    muxerOptions: { movflags: '+faststart' },
  },
  '.webm': {
    muxer: 'webm',
    video: 'libvpx',
    // Not realtime: its speed follows the clock.
    videoOptions: {
      deadline: 'good',
      'cpu-used': '5',
      'lag-in-frames': '0',
      crf: '16',
      b: '2000000',
    },
    audio: 'libopus',
    muxerOptions: {},
  },
};

export function encodingFor(file: string): Encoding {
  const writing = encodings[extname(file)];
  if (writing === undefined) throw new Error(`bug: no way to write ${file}`);
  return {
    ...writing,
    videoOptions: { ...writing.videoOptions, threads: '1', flags: bitexact },
    muxerOptions: { ...writing.muxerOptions, fflags: bitexact },
  };
}
