// Advice: what a person can do about a failure, by its code. Codes of projects: interface.md, Events; the others are ours.

const advice: Readonly<Record<string, string>> = {
  no_source_face: 'use a picture in which a face can be seen',
  invalid_file_format: 'use another file: the service cannot read this one',
  invalid_video_file: 'use another clip: the service cannot read this one',
  file_too_large: 'use a smaller file',
  invalid_parameters: 'change what stands under with:',
  content_policy_violation: 'change the input or the prompt: the service does not allow it',
  text_too_long: 'shorten the text',
  invalid_voice: 'choose another voice',
  insufficient_credits: 'add credits to the account, then run it again',
  processing_timeout: 'run it again: it took too long at the service',
  unknown_error: 'run it again; if it fails again, look at the input',
  canceled: 'run it again: somebody canceled it in the hub',
  refused: 'change what stands under with:, or the input: the service takes it from nobody',
  'missing-asset': 'run it again: its inputs are uploaded anew',
  'not-found': 'check the address of the service: it does not know this path',
  forbidden: 'choose what the account’s plan offers, or another plan',
  throttled: 'run it again, with fewer limits.requests_per_minute',
  unavailable: 'run it again when the service is up',
  unreachable: 'check the network and the address of the service, then run it again',
  local: 'make room, or let the folder be written, then run it again',
  abandoned: 'run it again: it is paid anew',
  gone: 'run it with --pay-again to make it anew',
};

/** For a creation whose outcome nobody knows. */
export const doubtAdvice =
  'look for its name in the service’s hub, then say what became of it: shotlist resolve';

/** The end of a sentence, in the imperative; undefined: nothing better than the failure's own words. */
export function adviceFor(code: string | undefined): string | undefined {
  return code !== undefined && Object.hasOwn(advice, code) ? advice[code] : undefined;
}
