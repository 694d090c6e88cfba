// A systemd service: `shotlist schedule` as one long-running process.
import { inWords, madeBy, scheduleArguments, type UnitFacts } from './unit.ts';

export function systemdUnit(facts: UnitFacts): string {
  const { name, root, service, variables, program } = facts;
  const unit = `shotlist-${name}`;
  const key = `/etc/shotlist/${name}.key`;
  return `# ${madeBy(facts, 'systemd')}
#
# 1. Save this file as /etc/systemd/system/${unit}.service.
# 2. Put the API key into ${key}, readable by root only.
# 3. systemctl daemon-reload && systemctl enable --now ${unit}
#
# The process is due: ${inWords(facts.schedule)}.
[Unit]
Description=${escaped(facts.description ?? `shotlist: ${name}`)}
Wants=network-online.target
After=network-online.target

[Service]
Type=exec
WorkingDirectory=${escaped(root)}
${service === undefined ? '# Environment=SHOTLIST_BASE_URL=https://…' : `Environment=${quoted(`SHOTLIST_BASE_URL=${service}`)}`}
LoadCredential=api-key:${escaped(key)}
Environment=SHOTLIST_API_KEY_FILE=%d/api-key
${variables.map((variable) => `# The pipeline reads this variable:\n# Environment=${variable}=…\n`).join('')}ExecStart=${[...program, ...scheduleArguments(facts)].map(quoted).join(' ')}
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

/** systemd expands `%` everywhere. */
const escaped = (text: string): string => text.replaceAll('%', '%%').replaceAll(/[\r\n]+/g, ' ');

/** One word of a command line or an assignment, in which systemd also expands `$`. */
const quoted = (word: string): string => {
  const plain = escaped(word).replaceAll('$', '$$$$');
  return /^[\w@%+=:,./$-]+$/.test(plain)
    ? plain
    : `"${plain.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
};
