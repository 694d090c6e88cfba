// Advice: what a person can do about a failure, by code. interface.md, Events, lists the codes of
// projects; the other codes are ours.

const advice: Readonly<Record<string, string>> = {
  no_source_face: 'use a picture that shows a face',
  invalid_file_format: 'use another file; the service cannot read this one',
  invalid_video_file: 'use another clip; the service cannot read this one',
  file_too_large: 'use a smaller file',
  invalid_parameters: 'change the values under with:',
  content_policy_violation:
    'change the input or the prompt; the service does not allow this content',
  text_too_long: 'shorten the text',
  invalid_voice: 'choose another voice',
  insufficient_credits: 'add credits to the account, then run it again',
  processing_timeout: 'run it again; the service took too long',
  unknown_error: 'run it again; if it fails again, look at the input',
  canceled: 'run it again; somebody canceled the project in the hub',
  refused: 'change the values under with: or the input; the service refuses this request',
  'missing-asset': 'run it again; the next run uploads the inputs again',
  'not-found': 'check the address of the service; the service does not know this path',
  forbidden: 'choose an option that the account’s plan offers, or change the plan',
  throttled: 'lower limits.requests_per_minute, then run it again',
  unavailable: 'run it again when the service is up',
  unreachable: 'check the network and the address of the service, then run it again',
  local: 'free some disk space or make the folder writable, then run it again',
  abandoned: 'run it again; the next run pays for it again',
  gone: 'use run --pay-again to pay for it again',
};

export type Cure = 'file' | 'again';

/** Failures that another file, or only another run, cures; those of ours by the code of their diagnostic. */
const cures: Readonly<Record<string, Cure>> = {
  ...{ no_source_face: 'file', invalid_file_format: 'file', invalid_video_file: 'file' },
  ...{ file_too_large: 'file', SL506: 'file', SL507: 'file', SL508: 'file', SL531: 'file' },
  ...{ processing_timeout: 'again', unknown_error: 'again', canceled: 'again' },
  ...{ 'missing-asset': 'again', abandoned: 'again' },
};

export const cureFor = (code: string | undefined): Cure | undefined =>
  code !== undefined && Object.hasOwn(cures, code) ? cures[code] : undefined;

/** For a creation whose outcome is unknown. */
export const doubtAdvice =
  'look for its name in the service’s hub, then use shotlist resolve to say what you found';

/** An imperative clause; undefined if the failure's own message is all there is to say. */
export function adviceFor(code: string | undefined): string | undefined {
  return code !== undefined && Object.hasOwn(advice, code) ? advice[code] : undefined;
}
