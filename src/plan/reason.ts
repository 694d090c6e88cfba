// Why a task is or is not done: a code for programs and tests, and the text for people, which is made here only.
import { unreachable } from '../base/result.ts';
import type { Condition } from '../core/recorded-files.ts';
import type { JobLine } from '../model/line.ts';

/** The codes of reasons that need nothing else to be told. */
export type PlainReasonCode =
  // Uploads and face detections
  | 'same-content'
  | 'new-content'
  // Creations
  | 'same-request'
  | 'new-request'
  | 'forgotten'
  | 'in-doubt'
  | 'paid-meanwhile'
  // Downloads
  | 'downloaded-before'
  | 'changed-on-disk'
  | 'in-store'
  | 'in-other-checkout'
  | 'not-in-store-yet'
  | 'at-other-place'
  | 'saved-by-other-run'
  | 'not-downloaded-yet'
  | 'file-pruned'
  | 'file-gone'
  | 'required-here'
  | 'gone-unseen'
  | 'deleted-and-gone'
  | 'deleted-and-no-copy'
  // Deletes
  | 'deleted-before'
  | 'discarded'
  | 'files-safe'
  | 'files-elsewhere'
  | 'paid-by-another'
  | 'no-files-on-disk'
  | 'not-all-in-store'
  | 'no-step-downloads';

export type Reason =
  | { readonly code: PlainReasonCode }
  | { readonly code: 'upload-elsewhere' | 'deleted-and-elsewhere'; readonly path: string }
  | { readonly code: 'failed-before'; readonly error: string | undefined }
  | { readonly code: 'paid-already'; readonly project: string | undefined }
  | { readonly code: 'take-asked' | 'take-not-saved'; readonly take: number }
  | { readonly code: 'deleted-and-pruned'; readonly at: string }
  | { readonly code: 'not-complete'; readonly state: JobLine['state'] }
  | { readonly code: 'saver-without-files' | 'saver-skipped'; readonly task: string }
  | { readonly code: 'fewer-results'; readonly listed: number; readonly asked: number }
  | {
      readonly code: 'saved-file-not-whole';
      readonly path: string;
      readonly condition: Exclude<Condition, 'elsewhere'>;
    }
  | { readonly code: 'saved-file-not-in-store' | 'unproved-file'; readonly path: string };

export function whyOf(reason: Reason): string {
  switch (reason.code) {
    case 'same-content':
      return 'same content as before';
    case 'new-content':
      return 'new content';
    case 'upload-elsewhere':
      return elsewhereHint(reason.path);
    case 'same-request':
      return 'same content and parameters as before';
    case 'new-request':
      return 'new content or parameters';
    case 'forgotten':
      return 'forgotten, so it runs again';
    case 'in-doubt':
      // The same for all, so that many are one line: status has the name of each.
      return 'in doubt: the answer to its creation was lost, and nobody has said what became of it';
    case 'paid-meanwhile':
      return 'paid by another run on this machine, as your receipts say';
    case 'failed-before':
      return `the last attempt failed: ${reason.error ?? 'unknown'}`;
    case 'paid-already':
      return `paid already: project ${reason.project}`;
    case 'take-asked':
      return `take ${reason.take}, as reroll asks`;
    case 'take-not-saved':
      return `take ${reason.take} is paid already, and not saved yet`;
    case 'downloaded-before':
      return 'downloaded before';
    case 'changed-on-disk':
      return 'downloaded before, and changed on disk since: left alone';
    case 'in-store':
      return 'elsewhere: the store has it';
    case 'in-other-checkout':
      return 'elsewhere: another checkout saved it';
    case 'not-in-store-yet':
      return 'downloaded before, and not in the store yet';
    case 'at-other-place':
      return 'downloaded before to another place';
    case 'saved-by-other-run':
      return 'paid and saved by another run on this machine';
    case 'not-downloaded-yet':
      return 'not downloaded yet';
    case 'file-pruned':
      return 'its file was pruned';
    case 'file-gone':
      return 'its file is gone';
    case 'required-here':
      return 'its file is elsewhere, and this run requires it here';
    case 'gone-unseen':
      return 'its project is gone: the service has it no more, and its result was never saved';
    case 'deleted-and-gone':
      return 'its project was deleted and the downloaded file is gone or changed';
    case 'deleted-and-no-copy':
      return 'its project was deleted, and no copy of its files is on this machine';
    case 'deleted-and-elsewhere':
      return `its project was deleted and ${elsewhereHint(reason.path)}`;
    case 'deleted-and-pruned':
      return `its project was deleted and the downloaded file was pruned on ${reason.at.slice(0, 10)}`;
    case 'deleted-before':
      return 'deleted before';
    case 'discarded':
      return 'its result is discarded on purpose';
    case 'files-safe':
      return 'its files are safe';
    case 'files-elsewhere':
      return 'kept: its files are elsewhere';
    case 'paid-by-another':
      return 'kept: another pipeline has paid for it, and may need its result';
    case 'no-files-on-disk':
      return 'kept: no download has its files on disk';
    case 'not-all-in-store':
      return 'kept: the store does not have all its files yet';
    case 'no-step-downloads':
      return 'kept: no step downloads it';
    case 'not-complete':
      return `its project is ${reason.state}`;
    case 'fewer-results':
      return `kept: the service listed only ${reason.listed} of the ${reason.asked} results that were asked for; with discard: true, the step deletes it all the same`;
    case 'unproved-file':
      return `kept: nothing shows whether ${reason.path} is whole, because the storage told neither its length nor its hash; look at the file: with discard: true, the step deletes the project all the same`;
    case 'saver-without-files':
      return `kept: ${reason.task} has not downloaded it`;
    case 'saver-skipped':
      return `kept: ${reason.task} does not download it`;
    case 'saved-file-not-whole':
      return `kept: ${reason.path} is ${conditionText[reason.condition]}`;
    case 'saved-file-not-in-store':
      return `kept: the store does not have ${reason.path} yet`;
    default:
      return unreachable(reason);
  }
}

/** The end of a sentence about a file that must be here. */
export const elsewhereHint = (path: string): string =>
  `${path} is elsewhere: copy the file here from the checkout that saved it`;

const conditionText: Readonly<Record<Exclude<Condition, 'elsewhere'>, string>> = {
  whole: 'whole',
  unread: 'not read yet',
  changed: 'changed on disk',
  lost: 'lost',
  pruned: 'pruned',
};
