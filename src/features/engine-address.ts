// `--engine`: the address of a database.
import type { EngineAddress } from '../distributed/database.ts';
import { refuse } from './refuse.ts';

export async function addressOf(text: string): Promise<EngineAddress> {
  // Most commands have no database.
  const { engineAddress } = await import('../distributed/database.ts');
  const address = engineAddress(text);
  return address.ok ? address.value : refuse(`--engine: ${address.error}`);
}
