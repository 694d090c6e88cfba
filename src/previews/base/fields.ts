// What the video tools read of their requests in one way: words, numbers, inputs, the side of the output.
import { fieldOf } from '../../contract/base/json.ts';
import type { RenderInput, RenderRequest } from './request.ts';

type Order = Pick<RenderRequest, 'body' | 'inputs' | 'most'>;

/** The text of a field; empty where it has none. */
export function textIn({ body }: Pick<Order, 'body'>, field: string): string {
  const value = fieldOf(body, field);
  return typeof value === 'string' ? value : '';
}

export function numberIn({ body }: Pick<Order, 'body'>, field: string): number | undefined {
  const value = fieldOf(body, field);
  return typeof value === 'number' ? value : undefined;
}

export function inputIn({ inputs }: Pick<Order, 'inputs'>, field: string): RenderInput | undefined {
  return inputs.find((input) => input.field === field);
}

/** Pixels of the shorter side where a request does not say: what every plan has. */
const usualSide = 576;

/** The shorter side of the output in pixels: `resolution`, as far as the plan goes. */
export function sideIn(order: Pick<Order, 'body' | 'most'>, usual = usualSide): number {
  const resolution = textIn(order, 'resolution');
  const lines = /^(\d+)p$/.exec(resolution)?.[1];
  const asked = resolution === '4k' ? 2160 : lines === undefined ? usual : Number(lines);
  return Math.min(asked, order.most);
}
