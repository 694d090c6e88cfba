// The catalogue: everything that people and programs can know about a step kind before they use it. The command `tools`,
// the pages in docs/tools and the library show the same entries.

import { Document, isMap, isScalar, visit } from 'yaml';
import { isObject, type Json, type JsonObject } from '../../base/json.ts';
import type { MediaType } from '../api/asset.ts';
import type { RecordKind } from '../api/project.ts';
import { allowances, tiers } from '../api/tier.ts';
import { kinds, type StepKind } from '../kinds.ts';
import type { Model } from '../models.ts';
import { freePlanOf } from '../plan-rules.ts';
import { dearestOf, priceOf } from '../price.ts';
import type { Tool } from '../tool.ts';
import { type Field, fieldsOf } from './field.ts';
import { type PriceFacts, priceFactsOf } from './price.ts';

export interface Entry {
  readonly name: string;
  /** What the kind does, in a few words. */
  readonly title: string;
  /** The same in one or two sentences. */
  readonly description: string;
  readonly group: Group;
  /** True for the tools, each of which has a price. */
  readonly paid: boolean;
  /** What the tool makes, if the kind is a tool. */
  readonly record?: RecordKind;
  /** Observed end-to-end median, in seconds. */
  readonly medianSeconds?: number;
  readonly price: PriceFacts;
  /** The fields under `with:`. */
  readonly fields: readonly Field[];
  /** Rules between fields, one sentence each. */
  readonly rules: readonly string[];
  readonly models: readonly Model[];
  readonly modelNotes: readonly string[];
  /** What depends on the account's plan, one sentence each. */
  readonly plans: readonly string[];
  /** The outputs that later steps may use, by name. */
  readonly outputs: Readonly<Record<string, string>>;
  readonly example: Example;
}

export function entryOf(kind: StepKind): Entry {
  const { tool } = kind;
  const { description = `${kind.title}.` } = kind.with;
  return {
    name: kind.name,
    title: kind.title,
    description: String(description),
    group: groupOf(kind),
    paid: tool !== undefined,
    record: tool?.record,
    medianSeconds: tool?.medianSeconds,
    price: priceFactsOf(kind),
    fields: fieldsOf(kind.with),
    rules: (tool?.rules ?? []).map(({ says }) => says),
    models: tool?.models?.offered ?? [],
    modelNotes: tool?.models?.notes ?? [],
    plans: tool === undefined ? [] : plansOf(tool),
    outputs: kind.outputs,
    example: exampleOf(kind),
  };
}

/** All entries, in groups. */
export function catalogue(): ReadonlyMap<Group, readonly Entry[]> {
  const entries = kinds.map(entryOf);
  return new Map(groups.map((group) => [group, entries.filter((entry) => entry.group === group)]));
}

// What the subscription plans allow of a tool.

/** Sentences about what depends on the plan; empty if nothing does. */
function plansOf(tool: Tool): readonly string[] {
  return [...freePlanOf(tool).map((limit) => `On the free plan, ${limit}.`), ...sizeOf(tool)];
}

/** Tools without named resolutions limit the longer side of the output by plan (models.md, Plans). */
function sizeOf({ record, request, sizeLimit = {} }: Tool): readonly string[] {
  const { properties } = request;
  const isNamed = isObject(properties) && properties['resolution'] !== undefined;
  if (isNamed || record === 'audio' || sizeLimit === 'none') return [];
  const { most, longest = Number.POSITIVE_INFINITY } = sizeLimit;
  const sizes = tiers.map((tier) => `${Math.min(longest, allowances[tier].longestEdge)} (${tier})`);
  return [
    `The longer side of the output has at most this many pixels, by plan: ${sizes.join(', ')}.`,
    ...(most === undefined ? [] : [`The shorter side has at most ${most} pixels on every plan.`]),
  ];
}

// Groups of step kinds, by what people want to do.

const groups = [
  'Files and faces',
  'Make images',
  'Change images',
  'Make videos',
  'Change videos',
  'Speech',
] as const;

type Group = (typeof groups)[number];

/** A tool that takes the medium that it makes changes it; the other tools make something new. */
function groupOf({ tool }: StepKind): Group {
  switch (tool?.record) {
    case undefined:
      return 'Files and faces';
    case 'audio':
      return 'Speech';
    case 'image':
      return takes(tool?.request['properties'], 'image') ? 'Change images' : 'Make images';
    case 'video':
      return takes(tool?.request['properties'], 'video') ? 'Change videos' : 'Make videos';
  }
}

function takes(part: unknown, medium: string): boolean {
  if (Array.isArray(part)) return part.some((inner) => takes(inner, medium));
  if (!isObject(part)) return false;
  return part['x-asset'] === medium || Object.values(part).some((inner) => takes(inner, medium));
}

// A whole pipeline for a step kind, ready to run with the user's own files.

interface Example {
  /** The text of a pipeline file. */
  readonly text: string;
  /** The media files that the pipeline reads, relative to it. */
  readonly files: readonly ExampleFile[];
}

export interface ExampleFile {
  readonly path: string;
  readonly media: MediaType;
}

const extensions: Readonly<Record<MediaType, string>> = {
  image: 'jpg',
  video: 'mp4',
  audio: 'mp3',
};

/** A small pipeline that uses the kind and is valid. The same for the same kind. */
export function exampleOf(kind: StepKind): Example {
  const { tool } = kind;
  return tool === undefined ? freeExample(kind) : toolExample(tool, groupOf(kind));
}

function toolExample(tool: Tool, group: Group): Example {
  const [body = {}] = tool.examples;
  const files = new Map<string, ExampleFile>();
  const filled = withUploads(body, '', files);
  const step = stepNames[group];
  const price = priceOf(tool, body);
  return {
    text: pipelineText(tool.name, {
      ...uploadsOf(files),
      [step]: {
        uses: tool.name,
        ...(price.known ? {} : { estimate: dearestOf(tool, body) }),
        with: filled,
      },
      save: saveStep(step, tool.name),
    }),
    files: [...files.values()],
  };
}

const stepNames: Readonly<Record<Group, string>> = {
  'Files and faces': 'find',
  'Make images': 'make',
  'Change images': 'edit',
  'Make videos': 'make',
  'Change videos': 'edit',
  Speech: 'speak',
};

/** The steps that cost nothing, each with what it needs. */
function freeExample({ name, operation }: StepKind): Example {
  const photo: ExampleFile = { path: 'media/photo.jpg', media: 'image' };
  const uploaded = { photo: uploadStep(photo) };
  const code = {
    make: {
      uses: 'ai-qr-code-generator',
      with: { content: 'https://example.com', style: { art_style: 'Watercolor' } },
    },
    save: saveStep('make', 'qr-code'),
  };
  switch (operation) {
    case 'upload':
      return { text: pipelineText(name, uploaded), files: [photo] };
    case 'detect': {
      const find = { uses: name, with: { target_file_path: '${{ steps.photo.file_path }}' } };
      return { text: pipelineText(name, { ...uploaded, find }), files: [photo] };
    }
    case 'delete':
      return {
        text: pipelineText(name, { ...code, tidy: { uses: name, with: { of: 'make' } } }),
        files: [],
      };
    case 'download':
    case 'create':
      return { text: pipelineText(name, code), files: [] };
  }
}

const uploadStep = ({ path }: ExampleFile): JsonObject => ({
  uses: 'upload',
  with: { file: path },
});

const saveStep = (of: string, name: string): JsonObject => ({
  uses: 'download',
  with: { of, to: `${name}.\${{ result.ext }}` },
});

const uploadsOf = (files: ReadonlyMap<string, ExampleFile>): JsonObject =>
  Object.fromEntries([...files].map(([step, file]) => [step, uploadStep(file)]));

/** Replaces each `asset:<medium>` with the output of an upload step, which is named after the field. */
function withUploads(value: Json, field: string, files: Map<string, ExampleFile>): Json {
  if (Array.isArray(value)) return value.map((entry) => withUploads(entry, field, files));
  if (isObject(value))
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, withUploads(inner, key, files)]),
    );
  const media = (['image', 'video', 'audio'] as const).find((type) => value === `asset:${type}`);
  if (media === undefined) return value;
  const step = field.replace(/_file_paths?$/, '');
  files.set(step, { path: `media/${step}.${extensions[media]}`, media });
  return `\${{ steps.${step}.file_path }}`;
}

function pipelineText(name: string, steps: JsonObject): string {
  const document = new Document({ pipeline: `${name}-example`, steps });
  visit(document, {
    Pair(_key, { key, value }) {
      // Short steps and short values take one line each.
      if (isScalar(key) && isMap(value) && isShort(value.toJSON())) value.flow = true;
    },
  });
  return document.toString({ lineWidth: 0, flowCollectionPadding: true });
}

/** Fits on a line of 80 characters, with its key. */
const isShort = (value: unknown): boolean => JSON.stringify(value).length < 56;
