// The only file of the previews that the service imports: the interface of renderers, and how one is opened.
import { extname } from 'node:path';
import { type Renderer, RendererClosed } from './base/request.ts';
import { lacksFor } from './registry.ts';
import { findStandInFaces, renderStandIn } from './stand-in.ts';
import { openPool } from './threads/pool.ts';

export type { Renderer, RenderInput, RenderOutcome } from './base/request.ts';

export interface RendererOptions {
  /** `real`: in processes of its own; `plain`: stand-ins, at next to no cost. */
  readonly pictures: 'real' | 'plain';
  /** Told of a rendering process that crashed, for which no request is to blame. */
  readonly report: (about: string, reason: unknown) => void;
  /** How much memory all decoders together may take; undefined: 1 GiB, or a fourth of a smaller machine's memory. */
  readonly decodeBytes: number | undefined;
}

export interface OpenedRenderer extends Renderer {
  /** Which libraries are missing for some step kinds, or for all: a sentence each. */
  lacks(kinds?: ReadonlySet<string>): readonly string[];
}

export function openRenderer({ pictures, report, decodeBytes }: RendererOptions): OpenedRenderer {
  // A stand-in is made on the thread of whoever asks, and no file is decoded for it.
  if (pictures === 'plain')
    return {
      render: renderStandIn,
      findFaces: findStandInFaces,
      close: async () => {},
      lacks: () => [],
    };
  const script = new URL(`./worker${extname(import.meta.url)}`, import.meta.url);
  return { ...openPool({ report, decodeBytes, script }), lacks: lacksFor };
}

/** Whether a call of a renderer failed only because the service is stopping. */
export const isRendererClosed = (reason: unknown): boolean => reason instanceof RendererClosed;
