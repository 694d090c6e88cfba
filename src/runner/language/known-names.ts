// What the names in expressions are, as far as a pipeline file alone shows: the schemas of items,
// inputs, environment variables, values of the run, and outputs of steps.
import { isObject, type Json } from '../../contract/base/json.ts';
import type { Schema } from '../../contract/base/schema.ts';
import type { Draft } from './draft.ts';
import type { Reference } from './reference.ts';
import type { Known } from './static-types.ts';

type Schemas = Readonly<Record<string, Schema>>;

const text: Schema = { type: 'string' };
/** A path on this machine, which the service cannot read. */
const localPath = { format: 'path' } as const;
const whole: Schema = { type: 'integer' };

/** The fields of every item. */
const anyItem: Schemas = { key: text, index: whole };

/** The fields of an item that is a file. */
const fileItem: Schemas = {
  ...anyItem,
  path: { ...text, ...localPath },
  ...{ name: text, stem: text, ext: text, dir: text, sha256: text },
  ...{ bytes: whole, width: whole, height: whole, duration: { type: 'number' } },
};

const runValues: Schemas = { date: text, due: text, number: whole };

const inputTypes: Schemas = {
  file: text,
  string: text,
  number: { type: 'number' },
  boolean: { type: 'boolean' },
};

/**
 * Looks up names. The fields of `values` may be of any type, so nothing is known about these. A
 * name that the file does not declare is unknown here; `references.ts` reports it.
 */
export function knownNames(
  document: Json,
  steps: ReadonlyMap<string, Draft>,
): (reference: Reference) => Known | undefined {
  const root = isObject(document) ? document : {};
  const { inputs, items } = root;
  const fields = isObject(items) && items['glob'] !== undefined ? fileItem : anyItem;
  const declared = isObject(inputs) ? inputs : {};
  return ({ root: name, key, field }) => {
    switch (name) {
      case 'item':
        return known(fields, key, 2);
      case 'inputs':
        return known(inputTypes, typeOf(declared, key), 2);
      case 'env':
        return { schema: text, parts: 2 };
      case 'run':
        return known(runValues, key, 2);
      case 'result':
        return known({ ext: text }, key, 2);
      case 'steps':
        return known(steps.get(key ?? '')?.kind?.outputTypes ?? {}, field, 3);
      default:
        return undefined;
    }
  };
}

function known(schemas: Schemas, name: string | undefined, parts: number): Known | undefined {
  const schema = name !== undefined && Object.hasOwn(schemas, name) ? schemas[name] : undefined;
  return schema === undefined ? undefined : { schema, parts };
}

/** The declared type of an input. */
function typeOf(inputs: Readonly<Record<string, Json>>, name = ''): string | undefined {
  const declaration = Object.hasOwn(inputs, name) ? inputs[name] : undefined;
  return isObject(declaration) ? String(declaration['type']) : undefined;
}
