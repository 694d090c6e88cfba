// ai-gif-generator: a short animated picture from a prompt (facts.md, Body fields of every creation endpoint).
import { choice, group, text } from '../fields.ts';
import { eachPrompt, itemPrompt } from '../starter.ts';
import { listedTool } from '../tool.ts';

const extensions = ['gif', 'mp4', 'webm'];

export const aiGifGenerator = listedTool({
  name: 'ai-gif-generator',
  title: 'Make a GIF from a prompt',
  record: 'image',
  type: 'AI_GIF',
  medianSeconds: 23,
  description: 'Makes a short animated picture from a prompt. 50 credits.',
  required: ['style'],
  fields: {
    output_format: choice('File format of the output.', ...extensions),
    style: group('The content.', ['prompt'], {
      prompt: text('A description of the picture: up to 500 characters.', {
        minLength: 1,
        maxLength: 500,
      }),
    }),
  },
  fileFormat: { field: 'output_format', extensions, usual: 'gif' },
  price: { kind: 'flat', credits: 50 },
  priceExamples: [{ of: 'a GIF', body: {} }],
  examples: [
    { style: { prompt: 'a cat knocks over a cup' } },
    { output_format: 'webm', style: { prompt: 'a cat knocks over a cup' } },
  ],
  starter: eachPrompt(
    `output_format: gif # or mp4, webm
style: { prompt: "${itemPrompt}" }`,
    ['cup', 'a cat knocks over a cup'],
    ['wave', 'a robot waves hello'],
  ),
});
