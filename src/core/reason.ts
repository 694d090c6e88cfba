// Why something is or is not done: a code for programs and tests, and the text for people, which is made here only.

/** What each code says: the end of a sentence about the task. `§` is what the reason is about. */
const texts = {
  // Uploads and detections
  'same-content': 'same content as before',
  'new-content': 'new content',
  'upload-elsewhere': '§ is elsewhere: copy the file here from the checkout that saved it',
  'upload-expired':
    'its upload has expired, and § is elsewhere: copy the file here from the checkout that saved it, or use --require-outputs ' +
    'while its project is at the service',
  // Creations
  'same-request': 'same content and parameters as before',
  'new-request': 'new content or parameters',
  'asked-again': 'because of --pay-again',
  'take-asked': 'take §, as reroll asks',
  'failed-before': 'the last attempt failed: §',
  'paid-already': 'paid already: project §',
  'paid-elsewhere': 'paid by another run on this machine, as your receipts say',
  'made-elsewhere': 'paid and made by another run on this machine, as your receipts say',
  'busy-elsewhere': 'another run on this machine is paying for it now',
  // The same for all, so that many are one line: status has the name of each.
  'in-doubt':
    'in doubt: the answer to its creation was lost, and nobody has said what became of it',
  'doubt-elsewhere': 'in doubt: another run on this machine may have paid for it',
  'two-projects': 'in doubt: two records name different projects for it: §',
  'given-up': 'given up with resolve --abandon; its credits count as spent',
  'gone-at-service': 'its project is gone: the service has it no more, and its files are not here',
  'missing-at-service':
    'its project was not found at the service, twice, and its files are not here',
  'gone-unseen': 'its project is gone: the service has it no more, and its result was never saved',
  'input-deleted': 'the project of § was deleted, and its files are not here',
  // Downloads
  'saved-before': 'downloaded before',
  'changed-on-disk': 'downloaded before, and changed on disk since: left alone',
  'in-store': 'elsewhere: the store has it',
  'in-other-checkout': 'elsewhere: another checkout saved it',
  'not-in-store-yet': 'downloaded before, and not in the store yet',
  'at-other-place': 'downloaded before to another place',
  'saved-elsewhere': 'paid and saved by another run on this machine',
  'not-saved-yet': 'not downloaded yet',
  'file-pruned': 'its file was pruned',
  'file-gone': 'its file is gone',
  'deleted-and-gone': 'its project was deleted and the downloaded file is gone or changed',
  'deleted-and-pruned': 'its project was deleted and the downloaded file was pruned on §',
  // Deletes
  'deleted-before': 'deleted before',
  discarded: 'its result is discarded on purpose',
  'files-safe': 'its files are safe',
  'not-complete': 'kept: its project is not complete',
  'still-needed': 'kept: § still needs it',
  'reader-excluded': '§ is excluded',
  'payer-has-not-saved': 'kept: another pipeline has paid for it, and has not saved its result',
  'no-step-downloads': 'kept: no step downloads it',
  'not-saved': 'kept: § has not downloaded it',
  'saver-skipped': 'kept: § does not download it',
  'files-elsewhere': 'kept: its files are elsewhere',
  'not-whole': 'kept: § is not as it was saved',
  damaged: 'kept: §; remove the file, and the next run fetches it again',
  'not-in-store': 'kept: the store does not have § yet',
  'fewer-than-asked':
    'kept: the service listed only § results that were asked for; with discard: true, the step deletes it all the same',
  unchecked:
    'kept: nothing shows whether § is whole, because the storage told neither its length nor its hash; look at the file: ' +
    'with discard: true, the step deletes the project all the same',
} as const;

export type ReasonCode = keyof typeof texts;

export interface Reason {
  readonly code: ReasonCode;
  /** A path, a task, a project, a number: what the text names. */
  readonly about?: string | undefined;
}

export const textOf = ({ code, about = 'unknown' }: Reason): string =>
  texts[code].replace('§', () => about);

/** Over, too: the record takes it over, and nothing is left to wait for. */
export const isMadeElsewhere = (reason: Reason | undefined): boolean =>
  reason?.code === 'made-elsewhere';

/** A file is missing that was not paid for in vain: to pay again would not help. */
export const isOfFile = (reason: Reason | undefined): boolean =>
  reason?.code === 'upload-elsewhere' || reason?.code === 'upload-expired';

/** What a run says of a result that is lost. */
export const lostText = (why: string): string => `${why}; --pay-again would pay for it again`;
