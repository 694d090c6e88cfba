// The sections of docs/reference.md: which part of the schema each shows, in the order in which a reader looks for them.

export interface Section {
  readonly title: string;
  /** The place of its fields in the schema. */
  readonly at: readonly string[];
  /** What a field takes, if the schema has too much to say. */
  readonly takes?: Readonly<Record<string, string>>;
  /** Where the words are explained, and what the table cannot say. */
  readonly about: string;
  /** A part of a pipeline file. */
  readonly example?: string;
}

const properties = 'properties';
const entries = 'additionalProperties';

export const sections: readonly Section[] = [
  {
    title: 'Top level',
    at: [],
    about:
      'Any other key is an error, except keys that begin with `x-`: shotlist ignores them, so they can hold [anchors](reuse.md#anchors-and-merge-keys).',
    example: `pipeline: cutouts
description: Cut out all photos.
items: { glob: "photos/*.jpg" }
budget: { credits: 100 }
output: out/cutouts
steps:
  photo: { uses: upload, with: { file: "\${{ item.path }}" } }
  cut: { uses: image-background-remover, with: { assets: { image_file_path: "\${{ steps.photo.file_path }}" } } }
  save: { uses: download, with: { of: cut, to: "\${{ item.stem }}.\${{ result.ext }}" } }
`,
  },
  {
    title: 'inputs',
    at: [properties, 'inputs', entries],
    about:
      'Each input has these fields. An input without a default must be set with `--input`. Expressions read `inputs.<name>`.',
    example: `inputs:
  actor: { type: file, default: media/actor.jpg, description: a photo of the actor }
  mood: { type: string, default: calm }
`,
  },
  {
    title: 'items',
    at: [properties, 'items'],
    takes: { when: 'expression' },
    about:
      'One of `glob`, `csv`, `jsonl` and `values`, with or without a `matrix`; or only a `matrix`. [items.md](items.md) says what expressions see of each.',
    example: `items:
  glob: [products/**/*.jpg, "!products/old/**"]
  matrix: { style: [oil, ink] }
  when: item.bytes < 10000000
`,
  },
  {
    title: 'steps',
    at: [properties, 'steps', entries],
    takes: {
      uses: '[a step kind](tools.md)',
      with: 'object: [the fields of the kind](tools.md)',
      if: 'expression',
      for_each: 'list or expression',
    },
    about:
      'Each step has these fields. Its name begins with a letter or `_`, continues with letters, digits, `_` and `-`, and has at most 100 characters. The fields of `with` depend on `uses`: [tools.md](tools.md) has a page for each step kind. [pipelines.md](pipelines.md) explains how steps depend on each other, [fan-out.md](fan-out.md) explains `for_each` and `on_missing`.',
    example: `steps:
  clip:
    description: a short clip for the home page
    uses: text-to-video
    with: { model: ltx-2.3, resolution: 480p, end_seconds: 3, style: { prompt: a small harbour at dawn } }
    retry: { attempts: 5 }
    timeout: 20m
  save: { uses: download, with: { of: clip, to: "harbour.\${{ result.ext }}" } }
`,
  },
  {
    title: 'budget',
    at: [properties, 'budget'],
    about:
      'If several caps apply, the one that leaves the least decides. [pipelines.md](pipelines.md#budget-and-prices) explains how credits are counted.',
    example: 'budget: { credits: 200, per_item: 20, per_day: 300, per_month: 5000 }\n',
  },
  {
    title: 'limits',
    at: [properties, 'limits'],
    about: 'The limits of the account apply in addition ([pipelines.md](pipelines.md#limits)).',
    example:
      'limits: { items: 8, steps: { character-replace: 2 }, requests_per_minute: 120, outage: 1h }\n',
  },
  {
    title: 'schedule',
    at: [properties, 'schedule'],
    about: '[schedules.md](schedules.md) says what is promised.',
    example: 'schedule: { cron: ["0 7 * * 1-5", "0 10 * * 6,0"], time_zone: Europe/Berlin }\n',
  },
  {
    title: 'outputs',
    at: [properties, 'outputs'],
    about: 'A bucket needs consent ([output-store.md](output-store.md)).',
    example: 'outputs: { store: s3://my-bucket/cutouts }\n',
  },
  {
    title: 'on_finish and on_doubt',
    at: [properties, 'on_finish'],
    about:
      'Each has one of these fields. Hooks need consent ([monitoring.md](monitoring.md#hooks)).',
    example: `on_finish: { command: [node, tell-team.js] }
on_doubt: { webhook: https://example.com/hooks/doubt }
`,
  },
  {
    title: 'defaults',
    at: [properties, 'defaults'],
    about: 'The value that is closest to a step wins ([reuse.md](reuse.md#defaults)).',
    example: `defaults:
  retry: { attempts: 5 }
  kinds: { ai-image-editor: { with: { model: qwen-edit, resolution: 640px, image_count: 1 } } }
`,
  },
  {
    title: 'defaults.kinds',
    at: ['$defs', 'kind-defaults'],
    about: 'For each step kind, such as `defaults.kinds.ai-image-editor`.',
  },
  {
    title: 'profiles',
    at: [properties, 'profiles', entries],
    about:
      'Each profile has these fields. A profile is merged over the file; `null` removes a key ([reuse.md](reuse.md#profiles)).',
    example: `profiles:
  draft: { budget: { credits: 50 }, output: out/draft }
`,
  },
];
