// What the names in expressions are, as far as a pipeline file alone shows: the schemas of items,
// inputs, environment variables, values of the run, and outputs of steps.
import { isObject, type Json } from '../base/json.ts';
import type { Schema } from '../base/schema.ts';
import type { Draft } from './draft.ts';
import { elementSchema, propertiesOf } from './element-schema.ts';
import type { FanOuts } from './fan-out.ts';
import { gathered, type Reference } from './reference.ts';
import type { Known } from './static-types.ts';
import type { Template } from './template.ts';

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

/** What `steps.<name>.all` is, by the outputs of the step's kind. */
const lists = new WeakMap<Schemas, Schema>();

function listOf(outputs: Schemas): Schema {
  const known = lists.get(outputs);
  if (known !== undefined) return known;
  const list: Schema = { type: 'array', items: { type: 'object', properties: outputs } };
  lists.set(outputs, list);
  return list;
}

type KnownAs = (reference: Reference) => Known | undefined;

/**
 * Looks up names in a step. The fields of `values` may be of any type, so nothing is known about these. A
 * name that the file does not declare is unknown here; `references.ts` reports it.
 */
export function knownNames(
  document: Json,
  steps: ReadonlyMap<string, Draft>,
  fans: FanOuts,
): (draft: Draft) => KnownAs {
  const root = isObject(document) ? document : {};
  const { inputs, items } = root;
  const fields = isObject(items) && items['glob'] !== undefined ? fileItem : anyItem;
  const declared = isObject(inputs) ? inputs : {};
  const knownAs: KnownAs = ({ root: name, key, field }) => {
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
        return knownOutput(steps.get(key ?? ''), field);
      default:
        return undefined;
    }
  };
  const elements = new Map<string, Schemas>();
  const eachIn = (name: string): Schemas => {
    const found = elements.get(name) ?? fieldsOfEach(steps.get(name)?.list, knownAs);
    elements.set(name, found);
    return found;
  };
  return ({ name }) => {
    const [fan] = fans.of.get(name) ?? [];
    return (reference) =>
      reference.root !== 'each'
        ? knownAs(reference)
        : fan === undefined
          ? undefined
          : known(eachIn(fan), reference.key, 2);
  };
}

function knownOutput(step: Draft | undefined, output: string | undefined): Known | undefined {
  const { outputTypes = {} } = step?.kind ?? {};
  if (output !== gathered || step?.kind === undefined) return known(outputTypes, output, 3);
  return { schema: listOf(outputTypes), parts: 3 };
}

/** `each` has the fields of the element, the element itself, and its index. */
function fieldsOfEach(list: Template | undefined, knownAs: KnownAs): Schemas {
  const element = list === undefined ? undefined : elementSchema(list, knownAs);
  if (element === undefined) return { index: whole };
  return { ...propertiesOf(element), value: element, index: whole };
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
