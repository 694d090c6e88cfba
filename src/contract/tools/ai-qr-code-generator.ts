// ai-qr-code-generator: a QR code in an art style (facts.md, Body fields of every creation endpoint).
import { group, text } from '../fields.ts';
import { eachPrompt, itemPrompt } from '../starter.ts';
import { listedTool } from '../tool.ts';

export const aiQrCodeGenerator = listedTool({
  name: 'ai-qr-code-generator',
  title: 'Make a QR code in an art style',
  record: 'image',
  type: 'QR_CODE',
  medianSeconds: 7,
  description: 'Makes a QR code in an art style. Free.',
  required: ['content', 'style'],
  fields: {
    content: text('The content of the code, for example an address.'),
    style: group('The look.', ['art_style'], {
      art_style: text('A description of the art style.'),
    }),
  },
  price: { kind: 'flat', credits: 0 },
  priceExamples: [{ of: 'a code', body: {} }],
  examples: [{ content: 'https://example.com', style: { art_style: 'Watercolor' } }],
  starter: eachPrompt(
    `content: ${itemPrompt}
style: { art_style: Watercolor }`,
    ['home', 'https://example.com'],
    ['menu', 'https://example.com/menu'],
  ),
});
