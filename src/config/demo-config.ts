/**
 * What a gateway without a config adds to the demo, as the lines of a config that would say the same. Neighbours: `load.ts`
 * reads it like any other; `docs/reference/demo.md` shows it; `upstream/demo/samples.ts` has a request for each rule.
 */

/**
 * A second upstream, so that there is something to translate; a policy that acts and one that only watches. Errors of the
 * demo are wanted, so that no circuit opens on them.
 */
export const DEMO_CONFIG = `upstreams:
  demo: { kind: demo }
  demo-chat: { kind: demo, wire: openai-chat }
routes:
  - { model: 'chat/*', to: demo-chat }
  - { model: '*', to: demo }
breaker: { failures: 0 }
approvals: { deadline: 1m }
policies:
  - use: rules
    name: demo-rules
    deny:
      - name: no-recursive-deletes
        when: shell.commands.exists(c, c.name == "rm" && "-r" in c.flags)
        reason: Deleting recursively is not allowed here.
        instead: Delete single files.
    ask:
      - name: ask-before-others-see-it
        tools: [deploy, send_email]
        reason: Others will see what this does. May it run?
    redact:
      - name: no-keys-in-arguments
        patterns: ['\\bsk-[A-Za-z0-9_-]{16,}']
  - use: rules
    name: demo-watch
    shadow: true
    deny:
      - name: no-scripts-from-the-network
        when: shell.pipes.exists(p, p.exists(c, c in ["curl", "wget"]) && p.exists(c, c in ["sh", "bash"]))
        reason: What comes from the network is not run unread.
      - name: no-reading-outside
        when: files.read.exists(f, f in files.outside)
        reason: Read inside of the project only.
`
