// Which steps a run excludes, by --only, --until and --exclude.
import { describe, expect, test } from 'vitest';
import { type StepSelection, stepsExcludedBy } from '../../src/core/step-selection.ts';
import { pipelineOf } from '../tables/plan-world.ts';

const { steps } = pipelineOf(`pipeline: p
items: { values: [{ key: a }] }
steps:
  actor: { uses: upload, with: { file: actor.png } }
  photo: { uses: upload, with: { file: "\${{ item.key }}.png" } }
  faces: { uses: face-detect, with: { target_file_path: "\${{ steps.photo.file_path }}" } }
  swap:
    uses: face-swap-photo
    if: size(steps.faces.faces) > 0
    with: { assets: { target_file_path: "\${{ steps.photo.file_path }}", source_file_path: "\${{ steps.actor.file_path }}" } }
  colour: { uses: photo-colorizer, with: { assets: { image_file_path: "\${{ steps.swap.url }}" } } }
  save: { uses: download, with: { of: swap, to: "\${{ item.key }}-out.png" } }
  tidy: { uses: delete, with: { of: swap } }
`);

/** The steps that are not excluded, in the pipeline's order. */
function kept(choice: StepSelection): string {
  const out = stepsExcludedBy(steps, choice);
  if (!out.ok) throw new Error(out.error);
  return steps
    .map(({ name }) => name)
    .filter((name) => !out.value.has(name))
    .join(' ');
}

describe('a choice of steps', () => {
  test.each<[string, StepSelection, string]>([
    ['no flag excludes no step', {}, 'actor photo faces swap colour save tidy'],
    ['--only: the step and the free ones it needs', { only: ['swap'] }, 'actor photo faces swap'],
    ['--only: no paid step that it needs', { only: ['colour'] }, 'colour'],
    ['--only: a download, and not what it is of', { only: ['save'] }, 'save'],
    ['--only: a delete, and not the download that it waits for', { only: ['tidy'] }, 'tidy'],
    ['--only: several', { only: ['save', 'faces'] }, 'photo faces save'],
    [
      '--until: all that the step needs, paid or not',
      { until: ['colour'] },
      'actor photo faces swap colour',
    ],
    [
      '--until: a delete needs the downloads and other uses',
      { until: ['tidy'] },
      'actor photo faces swap colour save tidy',
    ],
    ['--until: several', { until: ['faces', 'actor'] }, 'actor photo faces'],
    ['--exclude: that step', { exclude: ['tidy'] }, 'actor photo faces swap colour save'],
    ['--only and --until: either', { only: ['colour'], until: ['photo'] }, 'photo colour'],
    [
      '--exclude wins over the others',
      { only: ['swap'], until: ['tidy'], exclude: ['faces', 'tidy'] },
      'actor photo swap colour save',
    ],
  ])('%s', (_name, choice, expected) => {
    expect(kept(choice)).toBe(expected);
  });

  test.each(['only', 'until', 'exclude'] as const)(
    '--%s of a step that there is not is an error that names what is near, or all',
    (flag) => {
      const near = stepsExcludedBy(steps, { [flag]: ['swpa'] });
      expect(!near.ok && near.error).toMatch(
        new RegExp(`^--${flag} swpa: there is no such step; .*swap`),
      );
      const far = stepsExcludedBy(steps, { [flag]: ['x-y-z-1-2-3'] });
      expect(!far.ok && far.error).toContain(
        'steps: actor, photo, faces, swap, colour, save, tidy',
      );
    },
  );
});
