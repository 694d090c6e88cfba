// The renderer of stand-ins, on the thread of whoever asks.
import type { Renderer } from '../base/renderer.ts';
import { findStandInFaces, renderStandIn } from './stand-in.ts';

/** No file is decoded, so no memory is set aside for decoders. */
export const openStandInRenderer = (): Renderer => ({
  render: renderStandIn,
  findFaces: findStandInFaces,
  close: async () => {},
});
