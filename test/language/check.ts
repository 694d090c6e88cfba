// Pipeline texts for these tests. «…» in a text marks the place that is wrong; the marks are taken out.
import { expect } from 'vitest';
import type { Json } from '../../src/base/json.ts';
import type { Diagnostic, Span } from '../../src/contract/yaml/diagnostic.ts';
import type { Pipeline, Step } from '../../src/language/pipeline.ts';
import { validate } from '../../src/language/validate.ts';

export interface Marked {
  readonly text: string;
  readonly span: Span;
}

export function marked(text: string): Marked {
  const from = text.indexOf('«');
  const to = text.indexOf('»');
  if (from < 0 || to < from) throw new Error(`nothing is marked in ${text}`);
  const start = placeOf(text.slice(0, from));
  const end = placeOf(text.slice(0, to).replace('«', ''));
  return {
    text: text.replace('«', '').replace('»', ''),
    span: { ...start, endLine: end.line, endColumn: end.column },
  };
}

/** Where a text that is appended to this one would stand; both count from 1. */
function placeOf(before: string): { line: number; column: number } {
  const lines = before.split('\n');
  return { line: lines.length, column: (lines.at(-1) ?? '').length + 1 };
}

export function problemsOf(text: string, profile?: string): readonly Diagnostic[] {
  const result = validate('p.yaml', text, profile);
  return result.ok ? [] : result.error;
}

/** The only problem, which is at the mark. */
export function onlyProblem(markedText: string, profile?: string): Diagnostic | undefined {
  const { text, span } = marked(markedText);
  const problems = problemsOf(text, profile);
  expect(problems).toMatchObject([{ file: 'p.yaml', span }]);
  return problems[0];
}

export function pipelineOf(text: string, profile?: string): Pipeline {
  const result = validate('p.yaml', text, profile);
  if (!result.ok) throw new Error(result.error.map(({ message }) => message).join('; '));
  return result.value.pipeline;
}

/** The file as it is run. */
export const resolvedOf = (text: string, profile?: string): Json =>
  pipelineOf(text, profile).source.value;

export function stepOf(pipeline: Pipeline, name: string): Step {
  const step = pipeline.steps.find((one) => one.name === name);
  if (step === undefined) throw new Error(`no step ${name}`);
  return step;
}

/** A pipeline with these steps, each line already a step: `photo: { uses: … }`. */
export function withSteps(...steps: readonly string[]): string {
  return ['pipeline: p', 'steps:', ...steps.map((step) => `  ${step}`), ''].join('\n');
}

export const photo = 'photo: { uses: upload, with: { file: a.png } }';
export const clip = 'clip: { uses: upload, with: { file: a.mp4 } }';
export const swap =
  'swap: { uses: face-swap-photo, with: { assets: { target_file_path: "${{ steps.photo.file_path }}", source_file_path: "${{ steps.photo.file_path }}" } } }';

/** A character-replace step with these other fields. */
export const replace = (fields: string): string =>
  `act: { uses: character-replace, with: { ${fields}, assets: { video_file_path: "\${{ steps.clip.file_path }}", image_file_path: "\${{ steps.photo.file_path }}" } } }`;

/** The whole of a pipeline as the design shows it. */
export const whole = `pipeline: star
description: Put our actor's face on each portrait.
inputs:
  actor: { type: file, default: ../media/actor.jpg }
  mood: { type: string, default: calm }
env: [USER]
items:
  values:
    - { path: a.png, stem: a }
    - { path: b.png, stem: b }
budget: { credits: 500, per_item: 200 }
limits: { items: 32, steps: { character-replace: 4 }, requests_per_minute: 600 }
output: ../out/star
service: https://media.example
steps:
  tidy-photo: { uses: delete, with: { of: swap } }
  actor: { uses: upload, with: { file: "\${{ inputs.actor }}" } }
  clip: { uses: upload, with: { file: clip.mp4 } }
  photo: { uses: upload, with: { file: "\${{ item.path }}" } }
  faces: { uses: face-detect, with: { target_file_path: "\${{ steps.photo.file_path }}" } }
  swap:
    uses: face-swap-photo
    if: size(steps.faces.faces) > 0
    with:
      name: "\${{ item.stem }} by \${{ env.USER }}"
      assets:
        face_swap_mode: individual-faces
        target_file_path: \${{ steps.photo.file_path }}
        face_mappings: >-
          \${{ steps.faces.faces.map(f, {"original_face": f.path, "new_face": steps.actor.file_path}) }}
    retry: { attempts: 4 }
    timeout: 10m
  act:
    uses: character-replace
    estimate: 150
    with:
      end_seconds: 5
      assets:
        video_file_path: \${{ steps.clip.file_path }}
        image_file_path: \${{ steps.swap.url }}
  photo-file: { uses: download, with: { of: swap, to: "\${{ item.stem }}.png" } }
  clip-file: { uses: download, with: { of: act, to: "\${{ item.stem }}.mp4" } }
  log: { uses: upload, with: { file: log.png }, needs: [photo-file] }
`;
