// What differs between two tasks that would write the same file, so that a hint can name it.
import type { Json } from '../base/json.ts';
import type { Item } from '../model/item.ts';
import { stepOf } from '../model/task.ts';

/** One of two tasks. `item`: undefined for a shared task. */
export interface Claimant {
  readonly task: string;
  readonly item: Item | undefined;
}

/** The fields of a file that make good names, the best first; a row has its own columns. */
const ofFiles = ['stem', 'dir', 'ext'];
/** They differ between all items, and make poor names. */
const last = ['name', 'path', 'index', 'key'];

/** The imperative clause of a hint. */
export function hintOf(one: Claimant, other: Claimant): string {
  if (stepOf(one.task) !== stepOf(other.task))
    return 'write another place in to: of one of the two steps';
  const [mine, yours] = [one.item, other.item];
  if (mine === undefined || yours === undefined || mine.key === yours.key)
    return `write \${{ each.index }} in to:, which differs between the elements`;
  const found = difference('matrix', mine.matrix, yours.matrix) ?? fieldDifference(mine, yours);
  if (found === undefined) return `write \${{ item.key }} in to:, which differs between them`;
  const { name, values } = found;
  return `write \${{ ${name} }} in to:, which differs: ${values.join(' and ')}`;
}

interface Difference {
  readonly name: string;
  readonly values: readonly [string, string];
}

function fieldDifference({ fields }: Item, { fields: others }: Item): Difference | undefined {
  const own = Object.keys(fields).filter((name) => !ofFiles.includes(name) && !last.includes(name));
  const order = [...ofFiles, ...own, ...last];
  const sorted = Object.fromEntries(
    order.flatMap((name) => {
      const value = fields[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
  return difference('item', sorted, others);
}

/** The first simple value that differs, whatever the case of its letters: some disks take no notice of that. */
function difference(
  scope: 'item' | 'matrix',
  one: Readonly<Record<string, Json>> = {},
  other: Readonly<Record<string, Json>> = {},
): Difference | undefined {
  for (const [name, value] of Object.entries(one)) {
    const theirs = other[name];
    if (!isSimple(value) || !isSimple(theirs) || folded(value) === folded(theirs)) continue;
    const place = /^[A-Za-z_]\w*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
    return { name: `${scope}${place}`, values: [JSON.stringify(value), JSON.stringify(theirs)] };
  }
  return undefined;
}

const isSimple = (value: Json | undefined): value is string | number =>
  typeof value === 'number' || (typeof value === 'string' && value.length <= 80);

const folded = (value: string | number): string => String(value).normalize('NFC').toLowerCase();
