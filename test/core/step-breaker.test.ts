// When the requests of a step are wrong as such, and what else is then pointless.
import { describe, expect, test } from 'vitest';
import { StepBreaker } from '../../src/core/step-breaker.ts';
import { pipelineOf } from '../tables/plan-world.ts';

const { steps } = pipelineOf(`pipeline: p
items: { values: [{ key: a }] }
steps:
  photo: { uses: upload, with: { file: "\${{ item.key }}.png" } }
  colour: { uses: photo-colorizer, with: { assets: { image_file_path: "\${{ steps.photo.file_path }}" } } }
  swap: { uses: photo-colorizer, with: { assets: { image_file_path: "\${{ steps.colour.url }}" } } }
  again: { uses: photo-colorizer, with: { assets: { image_file_path: "\${{ steps.swap.url }}" } } }
  tidy: { uses: delete, with: { of: colour, discard: true } }
`);

function step(name: string) {
  const found = steps.find((one) => one.name === name);
  if (found === undefined) throw new Error(`there is no ${name}`);
  return found;
}

const refused = (n: number) => ['refused', `no ${n}`] as const;

describe('refusals of the first items', () => {
  test('stop a step with the third in a row', () => {
    const breaker = new StepBreaker(steps);
    breaker.count(step('swap'), ...refused(1));
    breaker.count(step('swap'), ...refused(2));
    expect(breaker.against(step('swap'))).toBeUndefined();
    breaker.count(step('swap'), ...refused(3));
    expect(breaker.against(step('swap'))).toEqual({
      own: true,
      why: 'refused for the first 3 items, so it is not tried for the others: no 3',
    });
  });

  test('keep their first reason', () => {
    const breaker = new StepBreaker(steps);
    for (const n of [1, 2, 3, 4]) breaker.count(step('swap'), ...refused(n));
    expect(breaker.against(step('swap'))?.why).toContain('no 3');
  });

  test.each(['refused', 'not-found', 'expired'])('count where the failure is "%s"', (code) => {
    const breaker = new StepBreaker(steps);
    for (let n = 0; n < 3; n++) breaker.count(step('swap'), code, '');
    expect(breaker.against(step('swap'))).toBeDefined();
  });

  test.each([undefined, 'unavailable', 'no_source_face', 'bug'])(
    'do not count where the failure is %s',
    (code) => {
      const breaker = new StepBreaker(steps);
      for (let n = 0; n < 5; n++) breaker.count(step('swap'), code, '');
      expect(breaker.against(step('swap'))).toBeUndefined();
    },
  );

  test('say nothing of a step once the service has taken one of its creations', () => {
    const breaker = new StepBreaker(steps);
    breaker.count(step('swap'), ...refused(1));
    breaker.taken(step('swap'));
    for (const n of [2, 3, 4]) breaker.count(step('swap'), ...refused(n));
    expect(breaker.against(step('swap'))).toBeUndefined();
  });

  test('say nothing of other steps', () => {
    const breaker = new StepBreaker(steps);
    breaker.count(step('swap'), ...refused(1));
    breaker.count(step('swap'), ...refused(2));
    breaker.count(step('again'), ...refused(1));
    expect(breaker.against(step('swap'))).toBeUndefined();
    expect(breaker.against(step('again'))).toBeUndefined();
  });
});

describe('a step that only a refused step would use', () => {
  test('is not bought, however far away the refused step is; a delete is no use', () => {
    const breaker = new StepBreaker(steps);
    breaker.refuse(step('again'), 'not on this plan');
    const why = 'only again would use it, which the service refuses';
    expect(breaker.against(step('swap'))).toEqual({ own: false, why });
    expect(breaker.against(step('colour'))).toEqual({ own: false, why });
  });

  test('is bought while another step uses it too', () => {
    const more = [...steps, { ...step('again'), name: 'other', uses: ['colour'] }];
    const breaker = new StepBreaker(more);
    breaker.refuse(step('swap'), 'not on this plan');
    expect(breaker.against(step('colour'))).toBeUndefined();
  });

  test('is bought where nothing uses it at all', () => {
    const breaker = new StepBreaker(steps);
    breaker.refuse(step('colour'), 'not on this plan');
    expect(breaker.against(step('again'))).toBeUndefined();
  });
});
