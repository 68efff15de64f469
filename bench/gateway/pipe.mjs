/**
 * What a gateway is measured against: the least that Node does to carry an answer from one socket to
 * another. Plain JavaScript, so that it runs as the built gateway does, without a loader.
 */
import { Agent, createServer, request } from 'node:http'

const [upstreamPort, port] = process.argv.slice(2).map(Number)
const agent = new Agent({ keepAlive: true })

createServer((incoming, response) => {
  const { url: path, method, headers } = incoming
  const outgoing = request({ host: '127.0.0.1', port: upstreamPort, path, method, headers, agent })
  outgoing.on('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(response)
  })
  outgoing.on('error', () => response.destroy())
  incoming.pipe(outgoing)
}).listen(port, '127.0.0.1')
