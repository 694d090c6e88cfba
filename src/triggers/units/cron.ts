// Lines for a crontab: cron wakes shotlist, and shotlist runs what is due.
import {
  inWords,
  madeBy,
  scheduleArguments,
  shellCommand,
  shellWord,
  type UnitFacts,
  wakeTimes,
} from './unit.ts';

export function crontab(facts: UnitFacts): string {
  const { name, root, service, variables, program, hostOffset, rehearsal } = facts;
  const command = shellCommand([...program, ...scheduleArguments(facts, '--once')]);
  // In a crontab, an unescaped % ends the command. A backslash of a quoted word must not stand before that of the %.
  const line = `cd ${shellWord(root)} && ${command}`
    .replaceAll('\\%', "\\''%")
    .replaceAll('%', '\\%');
  const lines = wakeTimes(facts, hostOffset).map((time) => `${time} ${line}`);
  return `# ${madeBy(facts, 'cron')}
#
# Add these lines with crontab -e${rehearsal ? '' : ', and put the API key into the file that SHOTLIST_API_KEY_FILE names, readable by you only'}.
# The pipeline is due: ${inWords(facts.schedule)}. A start at which nothing is due ends at once.
${rehearsal ? '' : access(service, name)}${variables.map((variable) => `# ${variable}=… (the pipeline reads it)\n`).join('')}${lines.join('\n')}
`;
}

const access = (service: string | undefined, name: string): string =>
  `${service === undefined ? '# SHOTLIST_BASE_URL=https://…' : `SHOTLIST_BASE_URL=${service}`}
SHOTLIST_API_KEY_FILE=/etc/shotlist/${name}.key
`;
