// The one door to the renderers: a request with its real input files goes in, files come out. What is made is
// a stand-in for what the hosted service makes, but always made from these inputs, never a fixed file.
import { renderClip } from './clip.ts';
import { renderFaceSwap } from './face-swap.ts';
import { renderAnimation } from './motion.ts';
import { renderPictures } from './picture-tools.ts';
import type { RenderOutcome, RenderRequest } from './request.ts';
import { renderSpeech } from './speech.ts';

export function render(request: RenderRequest): Promise<RenderOutcome> {
  switch (request.tool.record) {
    case 'video':
      return renderClip(request);
    case 'audio':
      return renderSpeech(request);
    case 'image':
      if (request.tool.name === 'face-swap-photo') return renderFaceSwap(request);
      if (request.tool.name === 'ai-gif-generator') return renderAnimation(request);
      return renderPictures(request);
  }
}
