// The bound for a number that is not known yet is the most that the tool's own rules accept.
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { maxAccepted } from '../../src/contract/max-accepted.ts';
import { breachesOf } from '../../src/contract/tool.ts';
import { toolNamed, tools } from '../../src/contract/tools/all.ts';

function most(name: string, field: string, body: JsonObject = {}): number | undefined {
  const tool = toolNamed(name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  return maxAccepted(tool, body, field);
}

describe('the latest end of a clip', () => {
  test.each([
    ['ai-talking-photo', {}, 60],
    ['ai-talking-photo', { style: { generation_mode: 'realistic' } }, 180],
    ['ai-talking-photo', { style: { generation_mode: 'realistic' }, start_seconds: 10 }, 190],
    ['text-to-video', { model: 'ltx-2.3' }, 30],
    ['text-to-video', { model: 'kling-2.6' }, 10],
    ['text-to-video', { model: 'sora-2' }, 60],
    ['ai-video-editor', { model: 'gemini-omni' }, 10],
    // The model decides, and nobody knows which.
    ['text-to-video', {}, undefined],
  ])('%s %j: %s', (name, body, expected) => {
    expect(most(name, 'end_seconds', body)).toBe(expected);
  });

  test('is accepted, and a second more is not', () => {
    for (const tool of tools) {
      for (const example of tool.examples) {
        const end = maxAccepted(tool, example, 'end_seconds');
        if (end === undefined) continue;
        const breaches = (seconds: number) =>
          breachesOf(tool, { ...example, end_seconds: seconds }).filter(
            ({ field }) => field === 'end_seconds',
          );
        expect(breaches(end + 1), tool.name).not.toEqual([]);
        expect(breaches(end - 1).length === 0 || breaches(end).length === 0, tool.name).toBe(true);
      }
    }
  });
});

test('the most images depend on the model', () => {
  expect(most('ai-image-generator', 'image_count', { model: 'flux-schnell' })).toBe(4);
  expect(most('ai-image-generator', 'image_count', {})).toBeUndefined();
});

test('a clip of unknown start is longest from 0', () => {
  expect(most('ai-talking-photo', 'start_seconds')).toBe(0);
});

test('another number has the maximum of its schema, if there is one', () => {
  expect(most('lip-sync', 'max_fps_limit')).toBeUndefined();
});
