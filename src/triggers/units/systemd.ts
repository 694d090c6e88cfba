// A systemd service: `shotlist schedule` as one long-running process.
import { inWords, madeBy, scheduleArguments, type UnitFacts } from './unit.ts';

export function systemdUnit(facts: UnitFacts): string {
  const { name, root, service, variables, program, rehearsal } = facts;
  const unit = `shotlist-${name}`;
  const key = `/etc/shotlist/${name}.key`;
  return `# ${madeBy(facts, 'systemd')}
#
# - Save this file as /etc/systemd/system/${unit}.service.
${rehearsal ? '' : `# - Put the API key into ${key}, readable by root only.\n`}# - systemctl daemon-reload && systemctl enable --now ${unit}
#
# The process is due: ${inWords(facts.schedule)}.
[Unit]
Description=${line(facts.description ?? `shotlist: ${name}`, ' ')}
Wants=network-online.target
After=network-online.target

[Service]
Type=exec
WorkingDirectory=${line(root, '/')}
${rehearsal ? '' : access(service, key)}${variables.map((variable) => `# The pipeline reads this variable:\n# Environment=${variable}=…\n`).join('')}ExecStart=${commandLine([...program, ...scheduleArguments(facts)])}
# Exit code 2: a file is wrong; 5: the service refused the key. Both need a person.
RestartPreventExitStatus=2 5
Restart=on-failure
RestartSec=1min
# After SIGTERM, shotlist ends within 10 s and leaves a state that the next start continues.
TimeoutStopSec=30
# As root by default; better: a user who owns the repository.
# User=
NoNewPrivileges=yes
PrivateTmp=yes
ProtectSystem=full

[Install]
WantedBy=multi-user.target
`;
}

const access = (service: string | undefined, key: string): string =>
  `${service === undefined ? '# Environment=SHOTLIST_BASE_URL=https://…' : `Environment=${quoted(`SHOTLIST_BASE_URL=${service}`)}`}
LoadCredential=api-key:${escaped(key)}
Environment=SHOTLIST_API_KEY_FILE=%d/api-key
`;

/** systemd expands `%` everywhere. */
const escaped = (text: string): string => text.replaceAll('%', '%%');

/** A value up to the end of its line: a backslash there would join the next line, and systemd drops spaces. */
const line = (text: string, end: ' ' | '/'): string =>
  escaped(text)
    .replaceAll(/\p{Cc}+/gu, ' ')
    .replace(/[\s\\]$/, `$&${end}`);

/** One word, as in an assignment. */
const quoted = (word: string): string =>
  /^[\w@%+=:,./$-]+$/.test(word)
    ? escaped(word)
    : `"${escaped(word).replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;

/** systemd expands `$` in all words but the program's. */
const commandLine = ([program = '', ...words]: readonly string[]): string =>
  [quoted(program), ...words.map((word) => quoted(word.replaceAll('$', '$$$$')))].join(' ');
