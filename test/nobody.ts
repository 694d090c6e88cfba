// Another user to run the command as: root may read and write everything, so as root some tests need one.
import { spawnSync } from 'node:child_process';

/** Empty where the tests are not run by root, who alone can become somebody else. */
export const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

/** Whether that user can start this checkout's Node; false where the checkout lies in a folder of root's own. */
export const canBeNobody = spawnSync(process.execPath, ['--version'], nobody).status === 0;
