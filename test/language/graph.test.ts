// The order of steps, which of them are shared, what a delete waits for, and what a step comes out as.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { topological } from '../../src/language/graph.ts';
import { photo, pipelineOf, problemsOf, stepOf, swap, whole, withSteps } from './check.ts';

describe('the order of steps', () => {
  test('puts every step after all that it waits for, whatever the order of the file', () => {
    const names = pipelineOf(whole).steps.map(({ name }) => name);
    for (const step of pipelineOf(whole).steps)
      for (const before of step.after)
        expect(names.indexOf(before)).toBeLessThan(names.indexOf(step.name));
    expect(names).toHaveLength(10);
  });

  test('keeps the order of the file where nothing forbids it', () => {
    expect(
      topological(
        new Map([
          ['c', []],
          ['a', []],
          ['b', ['a']],
        ]),
      ),
    ).toEqual({ ok: true, value: ['c', 'a', 'b'] });
  });

  test('names the circle, from its first step back to it', () => {
    const edges = new Map([
      ['x', ['a']],
      ['a', ['b']],
      ['b', ['a']],
    ]);
    expect(topological(edges)).toEqual({ ok: false, error: ['a', 'b', 'a'] });
  });

  test('a step that waits for itself is a circle', () => {
    expect(topological(new Map([['a', ['a']]]))).toEqual({ ok: false, error: ['a', 'a'] });
  });

  test('is valid for any graph without circles, and found for no other', () => {
    const edge = fc.tuple(fc.nat(7), fc.nat(7));
    fc.assert(
      fc.property(fc.array(edge, { maxLength: 14 }), (pairs) => {
        const edges = new Map(
          Array.from({ length: 8 }, (_, n) => [
            `s${n}`,
            pairs.filter(([to]) => to === n).map(([, from]) => `s${from}`),
          ]),
        );
        const order = topological(edges);
        if (order.ok) {
          expect([...order.value].sort()).toEqual([...edges.keys()]);
          for (const [to, befores] of edges)
            for (const from of befores)
              expect(order.value.indexOf(from)).toBeLessThan(order.value.indexOf(to));
        } else {
          expect(order.error.at(0)).toBe(order.error.at(-1));
          for (const [index, from] of order.error.slice(1).entries())
            expect(edges.get(order.error[index] ?? '')).toContain(from);
        }
      }),
      { seed: 1 },
    );
  });
});

describe('shared steps', () => {
  test('are those that refer to no item, themselves or through what they use', () => {
    const shared = pipelineOf(whole)
      .steps.filter((step) => step.shared)
      .map(({ name }) => name);
    expect(shared.sort()).toEqual(['actor', 'clip']);
  });

  test('an if: or a needs: on an item makes a step an item’s own', () => {
    const text = `pipeline: p
items: { values: [{ path: a.png }] }
steps:
  own: { uses: upload, with: { file: "\${{ item.path }}" } }
  asks: { uses: upload, if: 'item.path != ""', with: { file: x.png } }
  waits: { uses: upload, with: { file: x.png }, needs: [own] }
  free: { uses: upload, with: { file: x.png } }
`;
    const pipeline = pipelineOf(text);
    expect(pipeline.steps.filter((step) => step.shared).map(({ name }) => name)).toEqual(['free']);
  });

  test('a delete of a shared step is shared although it waits for items', () => {
    const text = `pipeline: p
items: { values: [{ path: a.png }] }
steps:
  ${photo}
  ${swap}
  use: { uses: face-swap-photo, with: { name: "\${{ item.path }}", assets: { target_file_path: "\${{ steps.swap.url }}", source_file_path: "\${{ steps.photo.file_path }}" } } }
  tidy: { uses: delete, with: { of: swap, discard: true } }
`;
    const tidy = stepOf(pipelineOf(text), 'tidy');
    expect(tidy.shared).toBe(true);
    expect(tidy.after).toContain('use');
  });

  test('without items every step is shared', () => {
    expect(pipelineOf(withSteps(photo, swap)).steps.every((step) => step.shared)).toBe(true);
  });
});

describe('a delete', () => {
  test('waits for every other use of its step, and for its downloads', () => {
    expect([...stepOf(pipelineOf(whole), 'tidy-photo').after].sort()).toEqual([
      'act',
      'photo-file',
      'swap',
    ]);
  });

  test('does not wait for another delete of the same step', () => {
    const text = withSteps(
      photo,
      swap,
      'one: { uses: delete, with: { of: swap, discard: true } }',
      'two: { uses: delete, with: { of: swap, discard: true } }',
    );
    expect(stepOf(pipelineOf(text), 'one').after).toEqual(['swap']);
  });

  test('that something it waits for needs is a circle', () => {
    const text = withSteps(
      photo,
      swap,
      'save: { uses: download, with: { of: swap, to: a.png }, needs: [tidy] }',
      'tidy: { uses: delete, with: { of: swap } }',
    );
    expect(problemsOf(text)[0]?.message).toContain('wait for each other');
  });
});

describe('a valid pipeline', () => {
  test('holds what the file says, in the core’s words', () => {
    const pipeline = pipelineOf(whole);
    expect(pipeline).toMatchObject({
      name: 'star',
      budget: { credits: 500, perItem: 200 },
      limits: { items: 32, steps: { 'character-replace': 4 }, requestsPerMinute: 600 },
      output: '../out/star',
      service: 'https://media.example',
      env: ['USER'],
      inputs: { actor: { type: 'file', default: '../media/actor.jpg' } },
      items: { kind: 'values' },
    });
    expect(stepOf(pipeline, 'swap')).toMatchObject({
      attempts: 4,
      timeoutMs: 600_000,
      uses: ['photo', 'faces', 'actor'],
    });
    expect(stepOf(pipeline, 'act').estimate).toBe(150);
    expect(stepOf(pipeline, 'log')).toMatchObject({ uses: [], after: ['photo-file'] });
    expect(stepOf(pipeline, 'photo-file').of).toBe('swap');
  });

  test('has sober defaults where the file says nothing', () => {
    const pipeline = pipelineOf(withSteps(photo));
    expect(pipeline).toMatchObject({
      budget: {},
      items: { kind: 'one' },
      output: 'out/p',
      env: [],
      inputs: {},
    });
    expect(pipeline.limits).toEqual({ items: 16, steps: {}, outageMs: 15 * 60_000 });
    expect(stepOf(pipeline, 'photo')).toMatchObject({ attempts: 3, discard: false });
    expect(stepOf(pipeline, 'photo').timeoutMs).toBeUndefined();
  });
});

describe('a time', () => {
  test.each([
    ['250ms', 250],
    ['90s', 90_000],
    ['10m', 600_000],
    ['1.5h', 5_400_000],
  ])('of %s is %i milliseconds', (text, ms) => {
    expect(
      stepOf(
        pipelineOf(withSteps(`photo: { uses: upload, with: { file: a.png }, timeout: ${text} }`)),
        'photo',
      ).timeoutMs,
    ).toBe(ms);
  });

  test.each(['90', '10 m', '-1s', '1.2.3s', 'm', '1w'])('cannot be %s', (text) => {
    expect(
      problemsOf(withSteps(`photo: { uses: upload, with: { file: a.png }, timeout: "${text}" }`)),
    ).toHaveLength(1);
  });
});
