// Promise 5: the bad input names itself. One mistake, one diagnostic, at the right line and column.
import { describe, expect, test } from 'vitest';
import { clip, marked, photo, problemsOf, replace, swap, withSteps } from './check.ts';

/** What is wrong, the text with the wrong part in «», what is said, and the hint if there is one. */
type Case = readonly [string, string, string, string?];

function check([, text, message, hint]: Case): void {
  const { text: plain, span } = marked(text);
  const found = problemsOf(plain);
  expect(found.map((one) => one.message)).toEqual([expect.stringContaining(message)]);
  expect(found[0]).toMatchObject({ severity: 'error', file: 'p.yaml', span });
  // A remedy is always there.
  expect(found[0]?.hint).toContain(hint ?? ' ');
}

const shape: readonly Case[] = [
  [
    'a misspelt key of the file',
    `pipeline: p\n«ouput»: x\nsteps:\n  ${photo}\n`,
    'unknown key "ouput"',
    'did you mean "output"?',
  ],
  [
    'a source of items that there is not',
    `pipeline: p\nitems: { «from»: a/*.png }\nsteps:\n  ${photo}\n`,
    'items: unknown key "from"',
    'known keys: glob, csv',
  ],
  [
    'a misspelt key of a step',
    withSteps('photo: { uses: upload, with: { file: a.png }, «retrry»: { attempts: 2 } }'),
    'step "photo": unknown key "retrry"',
    'did you mean "retry"?',
  ],
  [
    'a misspelt key of a with',
    withSteps('photo: { uses: upload, with: { file: a.png, «flie»: b.png } }'),
    'step "photo": unknown key "flie"',
    'did you mean "file"?',
  ],
  [
    'a misspelt key deep in a with',
    withSteps(photo, clip, replace('end_seconds: 2, style: { «moda»: replace }')),
    'step "act": style: unknown key "moda"',
    'did you mean "mode"?',
  ],
  [
    'a key that is like no other',
    `pipeline: p\nsteps:\n  ${photo}\n«zzzzzzzz»: 1\n`,
    'unknown key "zzzzzzzz"',
    'known keys: pipeline, description',
  ],
  [
    'an unknown tool',
    withSteps('photo: { uses: «uplod», with: { file: a.png } }'),
    'step "photo": there is no step kind "uplod"',
    'did you mean "upload"?',
  ],
  [
    'a missing field of the file',
    `«»steps:\n  ${photo}\n`,
    'the file needs "pipeline"',
    'pipeline: The name',
  ],
  [
    'a missing field of a step',
    withSteps('«photo»: { with: { file: a.png } }'),
    'step "photo" needs "uses"',
    'The step kind',
  ],
  ['a missing with', withSteps('«photo»: { uses: upload }'), 'step "photo" needs "with"'],
  [
    'a missing field of a with',
    withSteps('photo: { uses: upload, «with»: {} }'),
    'step "photo" needs "file"',
    'file: The path of the file to upload',
  ],
  [
    'a wrong type',
    withSteps('photo: { uses: upload, with: { file: «3» } }'),
    'step "photo": file must be a string, not 3',
  ],
  [
    'a wrong type at the top level',
    `pipeline: p\nlimits: { items: «many» }\nsteps:\n  ${photo}\n`,
    'limits.items must be an integer, not the text "many"',
  ],
  [
    'a number out of range',
    `pipeline: p\nbudget: { credits: «-1» }\nsteps:\n  ${photo}\n`,
    'budget.credits must be 0 or more, not -1',
  ],
  [
    'a word that on_failure does not have',
    `pipeline: p\non_failure: «halt»\nsteps:\n  ${photo}\n`,
    'on_failure must be one of continue, stop',
  ],
  [
    'a share of more than all',
    `pipeline: p\nmax_failures: «"101%"»\nsteps:\n  ${photo}\n`,
    'must be a whole number or a share such as "2%", up to "100%", not the text "101%"',
  ],
  ['a part of a failure', `pipeline: p\nmax_failures: «1.5»\nsteps:\n  ${photo}\n`, 'integer'],
  [
    'a number of failures that has no effect',
    `pipeline: p\non_failure: stop\n«max_failures»: 3\nsteps:\n  ${photo}\n`,
    'allows no failure, so max_failures has no effect',
  ],
  [
    'a value outside its list',
    withSteps(photo, clip, replace('end_seconds: 2, resolution: «481p»')),
    'step "act": resolution must be one of 480p, 720p, not the text "481p"',
    'did you mean "480p"?',
  ],
  [
    'a step name that expressions could not name',
    withSteps('«1st»: { uses: upload, with: { file: a.png } }'),
    '"1st" cannot be the name of a step',
    'begins with a letter',
  ],
  [
    'a timeout that is no time',
    withSteps('photo: { uses: upload, with: { file: a.png }, timeout: «10 minutes» }'),
    'step "photo": timeout must be a duration such as 90s, 10m or 1h',
  ],
  [
    'two sources of items',
    `pipeline: p\nitems: { glob: a, «values»: [1] }\nsteps:\n  ${photo}\n`,
    'items must have exactly one of: glob, csv, jsonl, values',
    'it has glob and values',
  ],
  ['no step at all', 'pipeline: p\nsteps: «{}»\n', 'steps must not be empty'],
  [
    'a file that is a list',
    '«- a\n»',
    'the file must be an object, not a list',
    'a pipeline needs at least pipeline: (its name) and steps:',
  ],
  [
    'steps that are a list',
    'pipeline: p\nsteps: «[{ uses: upload }]»\n',
    'steps must be an object, not a list',
    'write each step under its own name',
  ],
  [
    'a step kind that is no text',
    withSteps('photo: { uses: «{ a: 1 }», with: { file: a.png } }'),
    'step "photo": uses must be a string, not an object',
  ],
  [
    'a step name that is too long',
    withSteps(`«${'n'.repeat(101)}»: { uses: upload, with: { file: a.png } }`),
    `"${'n'.repeat(60)}" cannot be the name of a step`,
    'a name has at most 100 characters',
  ],
  [
    'a list that is empty',
    `pipeline: p\nitems: { values: «[]» }\nsteps:\n  ${photo}\n`,
    'items.values must not be empty',
  ],
  [
    'an item key that is a list',
    `pipeline: p\nitems: { values: [{ key: «[a]» }] }\nsteps:\n  ${photo}\n`,
    'items.values[0].key must be a string or a number, not a list',
  ],
  [
    'an item key that is empty',
    `pipeline: p\nitems: { values: [{ key: «""» }] }\nsteps:\n  ${photo}\n`,
    'items.values[0].key must not be empty',
  ],
  [
    'a number that is too large',
    `pipeline: p\nlimits: { items: «100001» }\nsteps:\n  ${photo}\n`,
    'limits.items must be 100000 or less, not 100001',
  ],
  [
    'a name that is a path',
    `pipeline: «../p»\nsteps:\n  ${photo}\n`,
    'pipeline must be a name of letters, digits, ".", "_" and "-" that begins with a letter or a digit',
  ],
  [
    'a name that is too long',
    `pipeline: «${'p'.repeat(101)}»\nsteps:\n  ${photo}\n`,
    'pipeline must have at most 100 characters, not 101',
  ],
  [
    'a service that is no address',
    `pipeline: p\nservice: «ftp://a.example»\nsteps:\n  ${photo}\n`,
    'service must be an address that begins with https:// or http://, not the text "ftp://a.example"',
  ],
];

const yaml: readonly Case[] = [
  [
    'a key that stands twice',
    withSteps(photo, '«photo»: { uses: upload, with: { file: b.png } }'),
    'the key "photo" appears twice',
    'remove or rename one of them',
  ],
  [
    'YAML that does not close',
    'pipeline: p\nsteps:\n  photo: { uses: upload, with: { file: a.png }\n«b»udget: {}\n',
    'a { or [ on an earlier line is not closed before this line',
    'close it with } or ]',
  ],
  [
    'a second document',
    `${withSteps(photo)}«---\nmore: 1\n»`,
    'the file contains several YAML documents, but a pipeline is one document',
    'remove the line ---',
  ],
];

const names: readonly Case[] = [
  [
    'an unknown step in an expression',
    withSteps(
      photo,
      'f: { uses: face-detect, with: { target_file_path: "${{ «steps.phto.file_path» }}" } }',
    ),
    'there is no step "phto"',
    'did you mean "photo"?',
  ],
  [
    'an unknown output',
    withSteps(
      photo,
      'f: { uses: face-detect, with: { target_file_path: "${{ «steps.photo.filepath» }}" } }',
    ),
    'step "photo" (upload) has no output "filepath"',
    'did you mean "file_path"?',
  ],
  [
    'a step without an output',
    withSteps(
      photo,
      'f: { uses: face-detect, with: { target_file_path: "${{ «steps.photo» }}" } }',
    ),
    'steps.photo must be followed by an output',
    'outputs: file_path',
  ],
  [
    'an unknown variable',
    withSteps('photo: { uses: upload, with: { file: "${{ «itm».path }}" } }'),
    'in the expression: there is no "itm"',
    'did you mean "item"?',
  ],
  [
    'an unknown input',
    `pipeline: p\ninputs: { actor: { type: file } }\nsteps:\n  a: { uses: upload, with: { file: "\${{ «inputs.acter» }}" } }\n`,
    'there is no input "acter"',
    'did you mean "actor"?',
  ],
  [
    'an unknown field of a value item',
    `pipeline: p\nitems: { values: [{ path: a.png }] }\nsteps:\n  a: { uses: upload, with: { file: "\${{ «item.paht» }}" } }\n`,
    'item has no "paht"',
    'did you mean "path"?',
  ],
  [
    'an item where there are no items',
    withSteps('photo: { uses: upload, with: { file: "${{ «item.path» }}" } }'),
    'there is no item',
    'add items:',
  ],
  [
    'an environment variable that is not listed',
    `pipeline: p\nenv: [USER]\nsteps:\n  a: { uses: upload, with: { file: "\${{ «env.HOME» }}" } }\n`,
    'env.HOME is not listed under env:',
    'env: [USER, HOME]',
  ],
  [
    'a dash in a dotted step name',
    withSteps(
      'voice-file: { uses: upload, with: { file: a.png } }',
      'f: { uses: face-detect, with: { target_file_path: "${{ steps.voice-«file».file_path }}" } }',
    ),
    'there is no "file"',
    'steps["voice-file"].file_path',
  ],
  [
    'an expression that does not close',
    withSteps('photo: { uses: upload, with: { file: "«a-${{ inputs.x»" } }'),
    'this ${{ has no }}',
  ],
  [
    'an expression that is no CEL, in a block of its own lines',
    withSteps(
      'photo:',
      '  uses: upload',
      '  with:',
      '    file: >-',
      '      ${{',
      '        1 +«+» 2',
      '      }}',
    ),
    'in the expression: "+" is not expected here',
  ],
  [
    'an unknown step in needs',
    withSteps('photo: { uses: upload, with: { file: a.png }, needs: [«clap»] }', clip),
    'there is no step "clap"',
    'did you mean "clip"?',
  ],
];

const graph: readonly Case[] = [
  [
    'a circle',
    withSteps(
      '«a»: { uses: upload, with: { file: a.png }, needs: [b] }',
      'b: { uses: upload, with: { file: a.png }, needs: [c] }',
      'c: { uses: upload, with: { file: a.png }, needs: [a] }',
    ),
    'these steps wait for each other: a → b → c → a',
    'each waits for the next',
  ],
  [
    'a delete without a download',
    withSteps(photo, swap, 'tidy: { uses: delete, with: { of: «swap» } }'),
    'deleting "swap" would lose its result',
    'discard: true',
  ],
  [
    'a download of an upload',
    withSteps(photo, 'save: { uses: download, with: { of: «photo», to: a.png } }'),
    'of: must name a tool step; "photo" is upload, which creates no project',
    'name the tool step whose result is meant',
  ],
  [
    'a download of a step that is not there',
    withSteps(photo, swap, 'save: { uses: download, with: { of: «swep», to: a.png } }'),
    'there is no step "swep"',
    'did you mean "swap"?',
  ],
  [
    'a use of what a delete gives',
    withSteps(
      photo,
      swap,
      'tidy: { uses: delete, with: { of: swap, discard: true } }',
      'more: { uses: upload, with: { file: "${{ «steps.tidy.path» }}" } }',
    ),
    'step "tidy" has no outputs, because delete has none',
    'needs: [tidy]',
  ],
  [
    'a use of a step that is never done',
    withSteps(
      'photo: { uses: upload, if: false, with: { file: a.png } }',
      'f: { uses: face-detect, with: { target_file_path: "${{ «steps.photo.file_path» }}" } }',
    ),
    'step "photo" never runs, because its if: is always false',
    'change its if:, or remove the reference',
  ],
];

const bodies: readonly Case[] = [
  [
    'a clip that ends before it starts',
    withSteps(photo, clip, replace('start_seconds: 2, end_seconds: «2»')),
    'end_seconds (2) must be greater than start_seconds (2)',
  ],
  [
    'a selection by points without points',
    withSteps(photo, clip, replace('end_seconds: 2, «style»: { selection_mode: point }')),
    'selection_mode point needs at least one entry in points',
  ],
  [
    'a face swap with no face to put in',
    withSteps(
      photo,
      'swap: { uses: face-swap-photo, with: { assets: «{ target_file_path: "${{ steps.photo.file_path }}" }» } }',
    ),
    'there is no new face: set source_file_path or face_mappings',
  ],
  [
    'a face swap with no face to put in, whose name is an expression',
    withSteps(
      photo,
      'swap: { uses: face-swap-photo, with: { name: "swap of ${{ run.date }}", assets: «{ target_file_path: "${{ steps.photo.file_path }}" }» } }',
    ),
    'there is no new face: set source_file_path or face_mappings',
  ],
  [
    'a local path where an asset belongs',
    withSteps('f: { uses: face-detect, with: { target_file_path: «photos/a.png» } }'),
    'target_file_path is "photos/a.png", which is neither an upload nor a direct URL',
    'add an upload step',
  ],
  [
    'an address of something that the service does not take',
    withSteps('f: { uses: face-detect, with: { target_file_path: «https://example.com/a.pdf» } }'),
    'neither an upload nor a direct URL',
    'add an upload step',
  ],
];

describe('one mistake gives one diagnostic, with its place', () => {
  for (const one of [...shape, ...yaml, ...names, ...graph, ...bodies])
    test(one[0], () => check(one));
});
