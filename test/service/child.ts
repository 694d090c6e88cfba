// A service in a process of its own, so that a test can kill it: node child.ts <data folder> <speed> [slots]. Prints
// one line of JSON once it listens.
import { startService } from '../../src/service/start.ts';

const [, , data = '', speed = 'instant', slots = '8'] = process.argv;
const { address, key } = await startService({
  data,
  // A plan without a limit, so that the slots alone decide how much runs at once.
  tier: 'business',
  pictures: 'plain',
  speed: speed === 'instant' || speed === 'realtime' ? speed : Number(speed),
  slots: Number(slots),
});
process.stdout.write(`${JSON.stringify({ address, key })}\n`);
