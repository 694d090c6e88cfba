// The only file of the previews that the service imports.
import pLimit from 'p-limit';
import { err, ok, type Result } from '../base/result.ts';
import type { ProjectError } from '../contract/api/project.ts';
import { findFaces, openFaceFinder } from './faces.ts';
import { BadInput } from './input.ts';
import { findPlainFaces, renderPlain } from './plain.ts';
import { render } from './render.ts';
import type { Renderer } from './renderer.ts';

export type { RenderedFile, Renderer, RenderInput } from './renderer.ts';

interface RendererOptions {
  /** `plain`: stand-ins, at next to no cost. */
  readonly pictures: 'real' | 'plain';
  /** So many faces at fixed places in each picture. Default: they are looked for, if the package for that is installed. */
  readonly faces: number | undefined;
}

/** The kinds of steps for which it matters where faces are. */
const facial = ['face-detect', 'face-swap-photo'];

export function openRenderer({ pictures, faces }: RendererOptions): Renderer {
  const closed = new AbortController();
  const { signal } = closed;
  // The picture library has threads of its own; more requests at once would only hold more pictures in memory.
  const limit = pLimit(2);
  const answer = async <T>(work: () => Promise<T>): Promise<Result<T, ProjectError>> => {
    try {
      return ok(await limit(work));
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof BadInput) return err({ code: error.code, message: error.message });
      throw error;
    }
  };
  const isPlain = pictures === 'plain';
  const finder = openFaceFinder(isPlain ? (faces ?? 1) : faces);
  return {
    render: (request) =>
      answer(() => (isPlain ? renderPlain(request) : render(request, finder, signal))),
    findFaces: (input, confidence) =>
      answer(() => (isPlain ? findPlainFaces(input, faces) : findFaces(finder, input, confidence))),
    notes: (kinds) =>
      isPlain || (kinds !== undefined && !facial.some((kind) => kinds.has(kind)))
        ? []
        : [finder.note],
    close: async () => {
      closed.abort();
      await finder.close();
    },
  };
}

/** Whether a call of a renderer failed only because the service is stopping. */
export const isRendererClosed = (reason: unknown): boolean =>
  reason instanceof Error && reason.name === 'AbortError';
