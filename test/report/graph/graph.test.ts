// Graphs of pipelines: as Mermaid's text, and read by Graphviz, which nobody here wrote.

import { join } from 'node:path';
import { instance } from '@viz-js/viz';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { svgOf } from '../../../src/features/graph/graph.ts';
import { resultOf } from '../../../src/language/load/refusal.ts';
import { validate } from '../../../src/language/validate.ts';
import { dotText, mermaidText, stepLines } from '../../../src/report/graph/graph-text.ts';
import { graphOf, type PipelineGraph } from '../../../src/report/graph/pipeline-graph.ts';
import { read } from '../../examples.ts';
import { expectGolden } from '../../golden.ts';
import { openBrowser } from '../../service/hub/browser.ts';

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
/** Everything that a label could break out with, in the languages of the three formats. */
const hostile = `"]]}-->|x|%%{<script>alert(1)</script>&amp;\\N\\" #quot; **b** _i_ \`x\` 写真/фото 😀`;
const odd = graphFor(`pipeline: odd
items: { glob: ${JSON.stringify(hostile)} }
steps:
  ${'a'.repeat(100)}: { uses: upload, with: { file: "\${{ item.path }}" } }
  end: { uses: face-detect, with: { target_file_path: "\${{ steps.${'a'.repeat(100)}.file_path }}" } }
  subgraph: { uses: upload, with: { file: x.png } }
  style: { uses: upload, with: { file: y.png } }
`);
const many = graphFor(`pipeline: many
items: { values: [a, b] }
steps:
${Array.from({ length: 25 }, (_, index) => `  make_${index}: { uses: ai-qr-code-generator, with: { content: "\${{ item.value }}${index > 0 ? `\${{ steps.make_${Math.floor((index - 1) / 3)}.url }}` : ''}", style: { art_style: plain } } }\n  save_${index}: { uses: download, with: { of: make_${index}, to: "${index}/\${{ item.key }}.png" } }`).join('\n')}
`);
const foreign = graphFor(`pipeline: foreign
items: { glob: "写真/東京タワーの夜景/展望台からの眺め/春の朝と秋の夕暮れ/**/*.jpg" }
steps:
  up: { uses: upload, with: { file: "\${{ item.path }}" } }
`);
const fan = graphFor(`pipeline: fan
steps:
  img: { uses: ai-image-generator, with: { image_count: 4, style: { prompt: x } } }
  up: { for_each: "\${{ steps.img.downloads }}", uses: photo-colorizer, with: { assets: { image_file_path: "\${{ each.url }}" } } }
  save: { uses: download, with: { of: up, to: "\${{ each.index }}.png" } }
  codes: { for_each: [a, b], uses: ai-qr-code-generator, with: { content: "\${{ each.value }}", style: { art_style: plain } } }
  save-codes: { uses: download, with: { of: codes, to: "\${{ each.value }}.png" } }
`);
const drawn = { star, needs, odd, foreign, many, fan } as const;

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

describe("Graphviz's language", () => {
  test.each(Object.entries(drawn))(
    '%s: Graphviz reads every node and edge',
    async (_name, graph) => {
      const graphviz = await instance();
      const rendered = graphviz.render(dotText(graph), { format: 'json' });
      const unknown = /no value for width of non-ASCII character/;
      expect(rendered.errors.filter(({ message }) => !unknown.test(message))).toEqual([]);
      const { objects, edges } = JSON.parse(rendered.output ?? '{}');
      const nodes = objects.filter(({ name }: { name: string }) => /^(step |items$)/.test(name));
      expect(nodes).toHaveLength(graph.steps.length + (graph.items === undefined ? 0 : 1));
      const fromItems = edges.filter(
        ({ tail }: { tail: number }) => objects[tail].name === 'items',
      );
      expect(edges.length - fromItems.length).toBe(graph.edges.length);
    },
  );
});

describe('the SVG', () => {
  test.each(Object.entries(drawn))(
    '%s: has no script, no address and no markup of its texts',
    async (_name, graph) => {
      const svg = await resultOf(() => svgOf(dotText(graph)));
      const text = svg.ok ? svg.value : '';
      expect(text).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" /);
      expect(text.slice(80)).not.toMatch(/<script|<!DOCTYPE|<image|<a\b|href|https?:|\bon\w+=/);
    },
  );
});

describe('in a browser', { tags: ['chromium', 'long'] }, () => {
  let browser: Browser;
  let page: Page;
  beforeAll(async () => {
    browser = await openBrowser();
    page = await browser.newPage();
  }, 60_000);
  afterAll(async () => await browser.close());

  test.each(Object.entries(drawn))(
    '%s: the nodes of the SVG do not overlap, and texts fit',
    async (name, graph) => {
      const svg = await resultOf(() => svgOf(dotText(graph)));
      await page.setContent(svg.ok ? svg.value : '');
      if (process.env['SHOW'] !== undefined)
        await page.screenshot({ path: join(process.env['SHOW'], `${name}.png`), fullPage: true });
      const boxes = await page.evaluate(() =>
        [...document.querySelectorAll('g.node')].map((node) => {
          const edges = (one: Element | undefined) => {
            const { left, right, top, bottom } = (one ?? node).getBoundingClientRect();
            return { left, right, top, bottom };
          };
          const shape = node.querySelector('polygon, path, ellipse') ?? node;
          const texts = [...node.querySelectorAll('text')];
          return {
            shape: edges(shape),
            texts: texts.map(edges),
            words: texts.map(({ textContent }) => textContent),
          };
        }),
      );
      expect(boxes).toHaveLength(graph.steps.length + (graph.items === undefined ? 0 : 1));
      for (const [at, { shape, texts }] of boxes.entries()) {
        for (const text of texts) {
          expect(text.left).toBeGreaterThanOrEqual(shape.left);
          expect(text.right).toBeLessThanOrEqual(shape.right);
          expect(text.top).toBeGreaterThanOrEqual(shape.top - 1);
          expect(text.bottom).toBeLessThanOrEqual(shape.bottom + 1);
        }
        for (const other of boxes.slice(at + 1))
          expect(
            shape.right <= other.shape.left ||
              other.shape.right <= shape.left ||
              shape.bottom <= other.shape.top ||
              other.shape.bottom <= shape.top,
          ).toBe(true);
      }
      if (graph === odd) expect(boxes[0]?.words[0]).toContain('<script>alert(1)</script>&amp;\\N');
    },
  );
});
