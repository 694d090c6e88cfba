// Codes SL8xx: faults files of the local service.
import type { Explanation } from './explanation.ts';

export const faultCodes = {
  SL801: {
    title: 'A fault names a target that does not exist.',
    meaning:
      'The fault could never happen, so a test that relies on it would prove nothing. The message names a target that exists.',
    found: 'serve',
    wrong: ['faults:', '  - { fault: reset, on: POST /v1/face-swap-foto, when: after }'],
    right: ['faults:', '  - { fault: reset, on: POST /v1/face-swap-photo, when: after }'],
  },
} as const satisfies Readonly<Record<`SL8${string}`, Explanation>>;
