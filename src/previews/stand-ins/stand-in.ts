// The stand-ins of all tools: always made from the inputs at hand, never a fixed file, with next to no work. Tests and
// benches that are about money and files use them, and so does a tool whose libraries are not installed.

import type { RenderOutcome, RenderRequest } from '../base/request.ts';
import { renderClip } from '../plain/clip.ts';
import { renderFaceSwap } from '../plain/face-swap.ts';
import { renderAnimation } from '../plain/motion.ts';
import { renderPictures } from '../plain/picture-tools.ts';
import { renderSpeech } from '../plain/speech.ts';

export function renderPlainly(request: RenderRequest): Promise<RenderOutcome> {
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
