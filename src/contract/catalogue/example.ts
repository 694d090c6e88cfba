// A whole pipeline for a step kind, ready to run with the user's own files.
import { Document, isMap, isScalar, visit } from 'yaml';
import { isObject, type Json, type JsonObject } from '../../base/json.ts';
import type { MediaType } from '../api/asset.ts';
import type { StepKind } from '../kinds/kind.ts';
import { dearestOf, priceOf } from '../tool/price.ts';
import type { Tool } from '../tool/tool.ts';
import { groupOf } from './group.ts';

export interface Example {
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

function toolExample(tool: Tool, group: ReturnType<typeof groupOf>): Example {
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

const stepNames: Readonly<Record<ReturnType<typeof groupOf>, string>> = {
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
