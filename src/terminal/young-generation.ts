// Keeps the young generation of V8's heap from growing. It takes all the room that it may, 64 MB and more, and a plan or a run of
// many items gains no time by it. Node.js lets nobody set its size once it has started, but the factor of its growth.
import { setFlagsFromString } from 'node:v8';

/** For commands that go through all items, as their first act: what is loaded by then has let it grow a little. */
export function stopGrowth(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}
