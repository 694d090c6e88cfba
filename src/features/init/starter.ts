// A starter for each tool: the part of a first pipeline that differs from tool to tool, its price, and the text of the file.

import { parse } from 'yaml';
import { asJson, isObject, type JsonObject } from '../../base/json.ts';
import { grouped } from '../../base/text.ts';
import { dearestOf, priceOf } from '../../contract/price.ts';
import { type StarterInput, type StarterParts, uploadStep } from '../../contract/starter.ts';
import { existingTool, proposedTools } from '../../contract/tools/all.ts';

export interface Starter extends StarterParts {
  readonly tool: string;
}

/** In the order in which `init` proposes them. */
export const starters: readonly Starter[] = proposedTools.map(({ name, starter }) => ({
  tool: name,
  ...starter,
}));

/** What people call the items. */
export const mediaNoun = {
  image: 'photo',
  video: 'clip',
  audio: 'sound',
  prompt: 'prompt',
} as const;

interface StarterPrice {
  /** For one item, in credits. */
  readonly credits: number;
  /** False: no price is published, and `credits` is an upper bound, which the step needs as its `estimate:`. */
  readonly published: boolean;
}

function priceOfStarter({ tool: name, body, prompts }: Starter): StarterPrice {
  const tool = existingTool(name);
  const longestPrompt =
    prompts.map(([, text]) => text).sort((a, b) => b.length - a.length)[0] ?? '';
  const value = asJson(parse(body.replace('${{ item.prompt }}', longestPrompt)));
  const request: JsonObject = isObject(value) ? value : {};
  const price = priceOf(tool, request);
  return price.known
    ? { credits: price.credits, published: true }
    : { credits: dearestOf(tool, request), published: false };
}

// The text of a first pipeline file. Every line that a beginner asks about has a comment.

interface Choices {
  readonly starter: Starter;
  /** What the tool does, in one line. */
  readonly title: string;
  /** The name of the pipeline. */
  readonly name: string;
  /** Where editors find the schema. */
  readonly schema: string;
  /** For files: relative to the pipeline file. */
  readonly glob: string;
  /** The number of items. */
  readonly count: number;
  /** True if two files differ only in their extension, so that their results need the whole name. */
  readonly alike: boolean;
  /** The files of the inputs, relative to the pipeline file; missing: the user names one with --input. */
  readonly inputs: Readonly<Record<string, string>>;
  /** The folder of the results, relative to the pipeline file. */
  readonly output: string;
}

export function starterText(choices: Choices): string {
  const { starter, title, name, schema, output } = choices;
  return `${[
    `# yaml-language-server: $schema=${schema}`,
    '',
    `pipeline: ${plain(name)} # also the name of the state file, which belongs in git`,
    `description: ${title}.`,
    ...inputLines(choices),
    ...itemLines(choices),
    ...budgetLines(choices),
    '',
    '# The results are saved below this folder.',
    `output: ${plain(output)}`,
    '',
    'steps:',
    ...starter.inputs.map(sharedStep),
    ...(starter.of === 'prompt' ? [] : [itemStep(starter.of)]),
    ...toolStep(starter),
    `  save: { uses: download, with: { of: make, to: ${JSON.stringify(targetOf(choices))} } }`,
  ].join('\n')}\n`;
}

function inputLines({ starter, inputs }: Choices): readonly string[] {
  const [first] = starter.inputs;
  if (first === undefined) return [];
  return [
    '',
    `# Another file for one run: --input ${first.name}=other${extensionOf[first.media]}`,
    'inputs:',
    ...starter.inputs.map(({ name, description }) => {
      const file = inputs[name];
      const given = file === undefined ? '' : `default: ${plain(file)}, `;
      return `  ${name}: { type: file, ${given}description: ${description} }`;
    }),
  ];
}

const extensionOf = { image: '.jpg', video: '.mp4', audio: '.mp3' } as const;

function itemLines({ starter, glob, count }: Choices): readonly string[] {
  if (starter.of !== 'prompt')
    return [
      '',
      `# Each file is an item, and goes through all steps. Today: ${counted(count, starter)}.`,
      `items: { glob: ${JSON.stringify(glob)} }`,
    ];
  return [
    '',
    '# Each entry is an item, and goes through all steps.',
    'items:',
    '  values:',
    ...starter.prompts.map(
      ([key, text]) => `    - { key: ${key}, prompt: ${JSON.stringify(text)} }`,
    ),
  ];
}

function budgetLines({ starter, count }: Choices): readonly string[] {
  const { credits } = priceOfStarter(starter);
  return [
    '',
    `# The most that one run may charge, in credits: ${counted(count, starter)}, ${credits} each.`,
    `budget: { credits: ${credits * count} }`,
  ];
}

const counted = (count: number, { of }: Starter): string =>
  `${grouped(count)} ${mediaNoun[of]}${count === 1 ? '' : 's'}`;

const sharedStep = ({ name }: StarterInput): string =>
  `  ${name}: { uses: upload, with: { file: "\${{ inputs.${name} }}" } } # names no item, so it runs once`;

const itemStep = (of: keyof typeof uploadStep): string =>
  `  ${uploadStep[of]}: { uses: upload, with: { file: "\${{ item.path }}" } } # runs for each item`;

function toolStep(starter: Starter): readonly string[] {
  const { credits, published } = priceOfStarter(starter);
  return [
    '  make:',
    `    uses: ${starter.tool}`,
    ...(published
      ? []
      : [`    estimate: ${credits} # no price is published: the most that one item may cost`]),
    '    with:',
    ...starter.body.split('\n').map((line) => `      ${line}`),
  ];
}

/** `item.dir` keeps the folders of the files; texts have none. */
function targetOf({ starter, alike }: Choices): string {
  if (starter.of === 'prompt') return '${{ item.key }}.${{ result.ext }}';
  return `\${{ item.dir }}/\${{ item.${alike ? 'name' : 'stem'} }}.\${{ result.ext }}`;
}

/** A name such as 2024 or 1e3 would be a number. */
const plain = (text: string): string =>
  /^(\.\.\/)*[A-Za-z][A-Za-z0-9_./-]*$/.test(text) && !reserved.test(text)
    ? text
    : JSON.stringify(text);

const reserved = /^(true|false|null|yes|no|on|off|y|n)$/i;
