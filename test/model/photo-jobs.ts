// The jobs of one photo, as a run of the benchmark's pipeline leaves them.
import type { JobLine } from '../../src/model/line.ts';
import { job } from './lines.ts';

/** Its upload, its face detection, and its swap, which is saved and deleted. */
export function photoJobs(number: number): readonly [JobLine, JobLine, JobLine] {
  const stem = `p${String(number).padStart(6, '0')}`;
  const item = `${stem}.jpg`;
  const time = (ms: number): string => new Date(1_800_000_000_000 + 37 * number + ms).toISOString();
  return [
    {
      ...{ job: job(`photo ${number}`), kind: 'upload', state: 'supplied' },
      ...{ tasks: [`photo:${item}`], attempt: 1, at: time(0) },
      result: { file_path: `api-assets/${number}/file.jpg` },
    },
    {
      ...{ job: job(`faces ${number}`), kind: 'face-detect', state: 'supplied' },
      ...{ tasks: [`faces:${item}`], attempt: 1, at: time(10) },
      result: { id: `d${number}`, faces: [{ path: `api-assets/d${number}/0-0.png` }] },
    },
    {
      ...{ job: job(`swap ${number}`), kind: 'face-swap-photo', state: 'deleted' },
      ...{ tasks: [`swap:${item}`, `tidy:${item}`], attempt: 1, at: time(4_000) },
      name: `bench swap:${item} #${job(`name ${number}`).slice(0, 10)}`,
      reserve: 10,
      measure: { of: 'face-swap-photo list=2', amount: 10 },
      sender: 1,
      project: `p${number}-mwsyxmxn`,
      credits: 10,
      expires: time(3_500 + 86_400_000),
      result: {
        ...{ downloads: 1, type: 'FACE_SWAP', width: 512, height: 512, image_count: 1 },
        ...{ total_frame_cost: 10, created_at: time(100) },
      },
      outputs: [
        {
          ...{ task: `save:${item}`, index: 0, path: `out/${stem}.png`, bytes: 20_480 },
          sha256: job(`file ${number}`),
        },
      ],
    },
  ];
}
