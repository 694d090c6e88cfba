// Builds the schema of a tool that interface.md only lists. The fields come from facts.md; objects
// stay open, because the interface grows in place (interface.md, Versioning).
import type { JsonObject } from '../../base/json.ts';
import type { Schema } from '../../base/schema.ts';
import { name } from './fields.ts';
import type { Tool } from './tool.ts';

interface Listing extends Omit<Tool, 'contractual' | 'request'> {
  /** What the tool does, in one or two sentences. */
  readonly description: string;
  readonly required: readonly string[];
  /** All fields except `name`, which every tool takes. */
  readonly fields: Readonly<Record<string, Schema>>;
}

/** Adds the keywords that all request schemas share. */
export function listedTool({ description, required, fields, ...tool }: Listing): Tool {
  return {
    ...tool,
    contractual: false,
    request: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: `https://shotlist.dev/schemas/tools/${tool.name}.schema.json`,
      title: `${tool.name} request`,
      description,
      type: 'object',
      required,
      properties: { name, ...fields },
    },
  };
}

/** An object field such as `assets` or `style`. */
export function group(
  description: string,
  required: readonly string[],
  fields: Readonly<Record<string, Schema>>,
): Schema {
  return { type: 'object', description, required, properties: fields };
}

/** A string with a fixed list of values. */
export function choice(description: string, ...values: readonly string[]): Schema {
  return { type: 'string', enum: values, description };
}

/** A string whose values the service decides. `known`: some values that the service accepts. */
export function openList(description: string, ...known: readonly string[]): Schema {
  const open = `${description} The list is open: shotlist sends any value, and the service decides.`;
  const field = { type: 'string', description: open };
  return known.length === 0 ? field : { ...field, examples: known };
}

/** The values of a long list: `One | Two | Three`. */
export const listed = (values: string): readonly string[] =>
  values.split('|').map((value) => value.trim());

export function text(description: string, limits: JsonObject = {}): Schema {
  return { type: 'string', ...limits, description };
}

export function number(description: string, limits: JsonObject = {}): Schema {
  return { type: 'number', ...limits, description };
}

export function integer(description: string, limits: JsonObject = {}): Schema {
  return { type: 'integer', ...limits, description };
}

export function flag(description: string): Schema {
  return { type: 'boolean', description };
}
