// Serves an application and writes to it without pause, until it is killed.
import { createApp } from '../../src/app.ts';
import { loadApp } from '../../src/config/load-app.ts';

const app = await createApp(await loadApp(process.argv[2]!, {}, { port: 0 }));
for (const login of ['ada', 'bob']) {
  await app.graph.execute({ query: `mutation { createAuthor(input: { login: "${login}" }) { login } }` });
}
process.stdout.write('writing\n');
for (let number = 0; ; number++) {
  await app.graph.execute({ query: `mutation { createNote(input: { title: "n${number}", author: "ada" }) { id } }` });
  if (number % 3 === 0) {
    await app.graph.execute({
      query: `mutation { updateAuthor(login: "ada", input: { name: "a${number}" }) { login } }`,
    });
  }
  if (number % 5 === 0)
    await app.graph.execute({ query: `mutation { deleteNote(id: ${Math.ceil(number / 2)}) { id } }` });
}
