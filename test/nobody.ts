// Another user to run the command as: root may read and write everything, so as root some tests need one.
import { spawnSync } from 'node:child_process';

/** Empty where the tests are not run by root, who alone can become somebody else. */
export const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

const sees = ['-e', 'fs.accessSync(process.argv[1])', import.meta.filename];

/** Whether that user can start this checkout's Node and read its files; false where the checkout lies in a folder of root's own. */
export const canBeNobody = spawnSync(process.execPath, sees, nobody).status === 0;
