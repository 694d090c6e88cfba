// The local service in a process of its own, for benches and torture: its options are JSON in the first argument, and its first
// line is JSON with its address and its key.
import { type ServiceOptions, startService } from '../src/service/start.ts';

const options: ServiceOptions = JSON.parse(process.argv[2] ?? '{}');
const service = await startService(options);
const { address, key } = service;
process.stdout.write(`${JSON.stringify({ address, key })}\n`);
process.once('SIGTERM', async () => {
  await service.close();
  process.exit();
});
