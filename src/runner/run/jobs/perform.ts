// One job as an async generator of events: whoever drives it has an event on disk before asking for the next.
import { unreachable } from '../../../contract/base/result.ts';
import type { JobOrder } from './job.ts';
import { attach, awaitEvent, create } from './perform-create.ts';
import { copy, download, remove } from './perform-save.ts';
import { detect, digest, reupload, upload } from './perform-supply.ts';
import type { Performance } from './performance.ts';
import type { World } from './world.ts';

export function perform(order: JobOrder, world: World): Performance {
  switch (order.operation) {
    case 'upload':
      return upload(order, world);
    case 'reupload':
      return reupload(order, world);
    case 'detect':
      return detect(order, world);
    case 'create':
      return create(order, world);
    case 'attach':
      return attach(order, world);
    case 'await':
      return awaitEvent(order, world);
    case 'download':
      return download(order, world);
    case 'copy':
      return copy(order, world);
    case 'delete':
      return remove(order, world);
    case 'digest':
      return digest(order, world);
    default:
      return unreachable(order);
  }
}
