import 'vitest';
import type { ProgramTag } from './programs.ts';

declare module 'vitest' {
  interface TestTags {
    tags: 'long' | ProgramTag;
  }
}
