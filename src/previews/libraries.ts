// The heavy libraries behind some tools: optional, since whoever only uses the hosted service needs none of them.
import { createRequire } from 'node:module';

/** What a renderer may need: looking for faces, and decoding and encoding clips. */
export type Need = 'faces' | 'clips';

const packages: Readonly<Record<Need, readonly string[]>> = {
  faces: ['@vladmandic/face-api', '@tensorflow/tfjs', '@tensorflow/tfjs-backend-wasm'],
  clips: ['node-av'],
};

/** What a rehearsal is like without them. */
const consequences: Readonly<Record<Need, string>> = {
  faces: 'Faces are not looked for, and stand-ins replace what needs them',
  clips: 'Clips are neither decoded nor rendered, and stand-ins replace them',
};

const list = new Intl.ListFormat('en');

/** True where a package can be loaded from here. */
export type Finder = (name: string) => boolean;

const { resolve } = createRequire(import.meta.url);

export const isInstalled: Finder = (name) => {
  try {
    resolve(`${name}/package.json`);
    return true;
  } catch (error) {
    // It is there, and only does not show its package.json to others.
    return (
      error instanceof Error && 'code' in error && error.code === 'ERR_PACKAGE_PATH_NOT_EXPORTED'
    );
  }
};

export interface Lack {
  readonly need: Need;
  /** What is missing, what it means, and the line that installs it. */
  readonly sentence: string;
}

export function lacksOf(finder: Finder = isInstalled): readonly Lack[] {
  return (['faces', 'clips'] as const).flatMap((need) => {
    const missing = packages[need].filter((name) => !finder(name));
    if (missing.length === 0) return [];
    const verb = missing.length === 1 ? 'is' : 'are';
    return [
      {
        need,
        sentence: `${consequences[need]}: ${list.format(missing)} ${verb} not installed (npm install ${missing.join(' ')})`,
      },
    ];
  });
}
