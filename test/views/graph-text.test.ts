// Graphs of pipelines, in Mermaid's language.
import { test } from 'vitest';
import { validate } from '../../src/language/validate.ts';
import { graphText } from '../../src/views/graph-text.ts';
import { read } from '../examples.ts';
import { expectGolden } from '../golden.ts';

function graphFor(text: string, items?: number): string {
  const valid = validate('p.yaml', text);
  if (!valid.ok) throw new Error(JSON.stringify(valid.error));
  return graphText(valid.value.pipeline, items);
}

const star = graphFor(read('pipelines/star-in-the-clip.yaml'), 1200);
const needs = graphFor(`pipeline: p
steps:
  up: { uses: upload, with: { file: a.png } }
  later: { uses: upload, needs: [up], with: { file: b.png } }
`);
/** Everything that a label could break out with, in Mermaid, Markdown and HTML. */
const hostile = `"]]}-->|x|%%{<script>alert(1)</script>&amp;\\N\\" #quot; **b** _i_ \`x\` 写真/фото 😀`;
const odd = graphFor(`pipeline: odd
items: { glob: ${JSON.stringify(hostile)} }
steps:
  ${'a'.repeat(100)}: { uses: upload, with: { file: "\${{ item.path }}" } }
  end: { uses: face-detect, with: { target_file_path: "\${{ steps.${'a'.repeat(100)}.file_path }}" } }
  subgraph: { uses: upload, with: { file: x.png } }
  style: { uses: upload, with: { file: y.png } }
`);
const fan = graphFor(`pipeline: fan
steps:
  img: { uses: ai-image-generator, with: { image_count: 4, style: { prompt: x } } }
  up: { for_each: "\${{ steps.img.downloads }}", uses: photo-colorizer, with: { assets: { image_file_path: "\${{ each.url }}" } } }
  save: { uses: download, with: { of: up, to: "\${{ each.index }}.png" } }
  codes: { for_each: [a, b], uses: ai-qr-code-generator, with: { content: "\${{ each.value }}", style: { art_style: plain } } }
  save-codes: { uses: download, with: { of: codes, to: "\${{ each.value }}.png" } }
`);

// Mermaid 11.17 drew the first two, with every node and its name.
test('graphs are as in the golden file, with labels that could break out, and fan-outs', () => {
  expectGolden('graphs.txt', [star, odd, needs, fan].map((graph) => `${graph}\n`).join('\n'));
});
