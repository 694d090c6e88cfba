// Graphs of pipelines, and their text in Mermaid's language.

import { describe, expect, test } from 'vitest';
import { validate } from '../../../src/language/validate.ts';
import { mermaidText, stepLines } from '../../../src/report/graph/mermaid.ts';
import { graphOf, type PipelineGraph } from '../../../src/report/graph/pipeline-graph.ts';
import { read } from '../../examples.ts';
import { expectGolden } from '../../golden.ts';

function graphFor(text: string, count: number | undefined = 1200): PipelineGraph {
  const valid = validate('p.yaml', text);
  if (!valid.ok) throw new Error(JSON.stringify(valid.error));
  return graphOf(valid.value.pipeline, count);
}

const star = graphFor(read('pipelines/star-in-the-clip.yaml'));
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

describe('the graph', () => {
  test('has the steps, what each reads, and what each waits for', () => {
    expect(star.items).toEqual({
      source: '../media/photos/**/*.{jpg,jpeg,png,webp}',
      count: 1200,
    });
    const stages = Object.fromEntries(star.steps.map(({ name, stage }) => [name, stage]));
    expect(stages).toMatchObject({ actor: 'once', clip: 'once', photo: 'item', act: 'item' });
    expect(star.edges).toContainEqual({
      ...{ from: 'faces', to: 'swap', kind: 'data', outputs: ['faces'] },
    });
    expect(star.edges).toContainEqual({
      from: 'act',
      to: 'tidy-photo',
      kind: 'after',
      outputs: [],
    });
    // The delete waits for the uses of swap, which wait for swap.
    expect(star.edges.some(({ from, to }) => from === 'swap' && to === 'tidy-photo')).toBe(false);
    expect(needs.edges).toEqual([{ from: 'up', to: 'later', kind: 'needs', outputs: [] }]);
    expect(needs.items).toBeUndefined();
  });

  test('says how many elements a fan-out has, and what its list reads', () => {
    const lines = Object.fromEntries(fan.steps.map((step) => [step.name, stepLines(step)[1]]));
    expect(lines).toEqual({
      img: 'ai-image-generator',
      up: 'up to 4 × photo-colorizer',
      save: 'up to 4 × download',
      codes: '2 × ai-qr-code-generator',
      'save-codes': '2 × download',
    });
    expect(fan.edges.map(({ from, to, outputs }) => [from, to, ...outputs])).toEqual([
      ['img', 'up', 'downloads'],
      ['up', 'save'],
      ['codes', 'save-codes'],
    ]);
  });
});

// Mermaid 11.17 drew both, with every node and its name.
test("Mermaid's language: a graph, and whatever a label could break out with", () => {
  expectGolden('graph-mermaid.txt', `${mermaidText(star)}\n${mermaidText(odd)}`);
});
