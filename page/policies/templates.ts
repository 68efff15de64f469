/** Beginnings of new policies, after the examples in docs/policies. Neighbours: the editor offers them. */
export interface Template {
  readonly id: string
  readonly label: string
  readonly says: string
  readonly yaml: string
}

export const TEMPLATES: readonly [Template, ...Template[]] = [
  {
    id: 'deny',
    label: 'Deny a command',
    says: 'Calls that a rule matches do not run, and the model reads why.',
    yaml: `- use: rules
  name: no-recursive-deletes
  deny:
    - name: rm-r
      when: shell.commands.exists(c, c.name == "rm" && "-r" in c.flags)
      reason: Deleting recursively is not allowed here.
      instead: Delete single files.
`,
  },
  {
    id: 'ask',
    label: 'Ask before a tool',
    says: 'A person passes, edits or denies the call while the agent waits.',
    yaml: `- use: approve
  name: ask-first
  tools: [Bash, 'mcp__*']
  # Only calls with such an argument:
  arguments: { command: ['git push*', '*sudo *'] }
  question: May {tool} run {args.command}?
`,
  },
  {
    id: 'redact',
    label: 'Redact secrets',
    says: 'Keys, addresses and card numbers are hidden on the way to the model and to the client.',
    yaml: `- use: redact
  name: no-secrets
  find: [secrets, emails, cards]
  patterns:
    ticket: 'ACME-[0-9]{4,8}'
`,
  },
  {
    id: 'limit',
    label: 'Limit calls',
    says: 'How much an agent may call, touch and write.',
    yaml: `- use: limit
  name: not-too-much
  calls:
    - { perAnswer: 10, perConversation: 300 }
    - { tools: [Bash, exec], perMinute: 20, action: ask }
  output: 400kb
`,
  },
  {
    id: 'judge',
    label: 'Let a model judge',
    says: 'A model reads each call and decides. Name one that an upstream of this gateway serves.',
    yaml: `- use: judge
  name: careful
  model: claude-haiku-4-5
  skip: [Read, Glob, Grep]
  rules: |
    - Deny whatever deletes files outside of the project.
    - Allow building, testing and editing in the project.
  askAt: 0.3
  denyAt: 0.7
`,
  },
]

export const findTemplate = (id: string | undefined): Template =>
  TEMPLATES.find((one) => one.id === id) ?? TEMPLATES[0]

/** As it stands in a config file. */
export const toConfigText = (yaml: string): string =>
  `policies:\n${yaml.trimEnd().replaceAll(/^(?=.)/gm, '  ')}\n`
