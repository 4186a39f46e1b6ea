// A real issuer: the package oidc-provider, with the device flow and one account for every name that logs in.
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [folder, clientId, clientSecret] = process.argv.slice(2);
const require = createRequire(folder + '/package.json');
const { Provider } = await import(pathToFileURL(require.resolve('oidc-provider')).href);

const server = createServer();
server.listen(0, '127.0.0.1', () => {
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const provider = new Provider(issuer, {
    clients: [clientId, clientId + '-other'].map((id) => ({
      client_id: id,
      client_secret: clientSecret,
      grant_types: ['urn:ietf:params:oauth:grant-type:device_code'],
      redirect_uris: [],
      response_types: [],
    })),
    features: { deviceFlow: { enabled: true }, devInteractions: { enabled: true } },
    conformIdTokenClaims: false,
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['preferred_username'] },
    findAccount: async (_, id) => ({
      accountId: id,
      claims: async () => ({
        sub: id,
        email: id + '@example.org',
        email_verified: id !== 'mallory',
        preferred_username: id,
      }),
    }),
    ttl: { DeviceCode: 60, IdToken: 60, AccessToken: 60, Session: 60, Grant: 60, Interaction: 60 },
  });
  server.on('request', provider.callback());
  console.log(issuer);
});
