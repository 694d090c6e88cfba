// Codes SL9xx: profiles.
import type { Explanation, Lines } from './explanation.ts';

const draft = (...steps: Lines): Lines => [
  'pipeline: portraits',
  ...steps,
  'steps:',
  '  film: { uses: text-to-video, keep: remote, with: { model: ltx-2.3, resolution: 720p, end_seconds: 3, style: { prompt: dawn } } }',
];

export const reuseCodes = {
  SL912: {
    title: 'The pipeline has no profile of this name.',
    meaning: '`--profile` chooses one of the profiles of the file. Check the spelling.',
    wrong: {
      pipeline: draft('profiles: { draft: { budget: { credits: 200 } } }'),
      profile: 'drafts',
    },
    right: {
      pipeline: draft('profiles: { draft: { budget: { credits: 200 } } }'),
      profile: 'draft',
    },
  },
  SL913: {
    title: 'A profile changes a step that does not exist.',
    meaning: 'A profile changes the steps of the file, and adds none. Check the spelling.',
    wrong: draft('profiles: { draft: { with: { movie: { resolution: 480p } } } }'),
    right: draft('profiles: { draft: { with: { film: { resolution: 480p } } } }'),
  },
} as const satisfies Readonly<Record<`SL9${string}`, Explanation>>;
