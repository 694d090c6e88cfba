// Receipts of so many creations, and what a child process does with a store.
import { digestOfBytes } from '../../../../src/base/digest.ts';
import type { JobLine } from '../../../../src/model/line.ts';
import type { Receipt } from '../../../../src/state/receipts/receipt.ts';

export const service = 'https://service.example';

export const jobOf = (number: number): string => digestOfBytes(`job ${number}`);

export function receipt(
  number: number,
  state: JobLine['state'] = 'created',
  folder = '/home/somebody/shop',
): Receipt {
  const project = `clx7${jobOf(number).slice(0, 20)}`;
  return {
    service,
    line: {
      ...{ job: jobOf(number), kind: 'face-swap-photo', state, attempt: 1, reserve: 10 },
      ...{ tasks: [`swap:p${number}.png`], name: `swap p${number} #${number.toString(36)}` },
      ...{ at: new Date(1_800_000_000_000 + number).toISOString() },
      ...(state === 'intended' ? {} : { project, credits: 10 }),
    } as JobLine,
    source: {
      folder,
      pipeline: 'pipeline.yaml',
      state: `${folder}/photos.state.jsonl`,
      branch: 'main',
    },
    account: `account:${'0'.repeat(32)}`,
    holder: state === 'intended' ? '1 host' : undefined,
    saved:
      state === 'complete' || state === 'deleted'
        ? [
            {
              ...{ index: 0, task: `save:p${number}.png`, path: `${folder}/out/p${number}.png` },
              ...{ bytes: 20_480, sha256: digestOfBytes(`file ${number}`) },
            },
          ]
        : [],
  };
}
