// The schema most tests of writing, feeding and migrating use, and the model it makes.
import type { Model } from '../src/schema/model.ts';
import { readSchema } from '../src/schema/read-schema.ts';

export const PHOTO_SCHEMA = /* GraphQL */ `
  scalar DateTime
  enum PhotoCategory {
    PORTRAIT
    LANDSCAPE
  }
  type User {
    githubLogin: ID!
    name: String
    email: String @unique
    postedPhotos: [Photo!]!
    inPhotos: [Photo!]!
  }
  type Photo {
    id: ID!
    name: String!
    url: String! @unique
    description: String
    created: DateTime! @default(value: "now")
    changed: DateTime! @default(value: "updatedAt")
    revision: Int! @default(value: "version")
    category: PhotoCategory! @default(value: "PORTRAIT")
    likes: Int! @default(value: "0")
    rating: Float
    hidden: Boolean! @default(value: "false")
    labels: [String!]
    postedBy: User! @relation(onDelete: CASCADE)
    taggedUsers: [User!]!
    album: Album @relation(onDelete: SET_NULL)
    comments: [Comment!]!
  }
  type Album {
    id: ID! @id @default(value: "uuid")
    title: String!
    photos: [Photo!]!
  }
  type Comment {
    id: ID!
    text: String!
    photo: Photo! @relation(onDelete: RESTRICT)
  }
  input PostPhotoInput {
    name: String!
    url: String!
    description: String
    category: PhotoCategory = PORTRAIT
    rating: Float
    labels: [String!]
    created: DateTime
    postedBy: ID!
    taggedUsers: [ID!]
    album: AlbumLink
  }
  input AlbumLink {
    create: AlbumInput
    connect: ID
    disconnect: Boolean
  }
  input AlbumInput {
    title: String!
  }
  input EditPhotoInput {
    name: String
    description: String
    rating: Float
    labels: [String!]
    postedBy: ID
    taggedUsers: TagChange
    album: AlbumLink
  }
  input TagChange {
    create: [UserInput!]
    connect: [ID!]
    disconnect: [ID!]
    set: [ID!]
  }
  input UserInput {
    githubLogin: ID!
    name: String
    email: String
  }
  input AlbumWithPhotos {
    title: String!
    photos: [AlbumPhoto!]
  }
  input AlbumPhoto {
    name: String!
    url: String!
    postedBy: ID!
  }
  type Query {
    User(githubLogin: ID!): User
    Photo(id: ID!): Photo
    allPhotos(first: Int = 25, start: Int = 0): [Photo!]!
    Album(id: ID!): Album
    Comment(id: ID!): Comment
  }
  type Mutation {
    postPhoto(input: PostPhotoInput!): Photo!
    postPhotos(inputs: [PostPhotoInput!]!): [Photo!]!
    updatePhoto(id: ID!, input: EditPhotoInput!, revision: Int): Photo!
    updatePhotos(ids: [ID!]!, input: EditPhotoInput!): [Photo!]!
    deletePhoto(id: ID!): Photo
    deletePhotos(ids: [ID!]!): Int!
    tagPhoto(githubLogin: ID!, photoID: ID!): Photo!
    untagPhoto(githubLogin: ID!, photoID: ID!): Photo!
    addUser(githubLogin: ID!, name: String, email: String): User!
    saveUser(input: UserInput!): User!
    setName(githubLogin: ID!, name: String!): User!
    deleteUser(githubLogin: ID!): Boolean!
    createAlbum(input: AlbumWithPhotos!): Album!
    deleteAlbum(id: ID!): ID!
    createComment(text: String!, photo: ID!): Comment!
  }
  type Subscription {
    newPhoto(category: PhotoCategory): Photo!
    photoUpdated: Photo!
    photoDeleted: Photo!
    photoChanged(id: ID): Photo!
  }
`;

/** The model of a schema text. */
export function modelOf(text: string): Model {
  return readSchema([{ file: 'schema.graphql', text }]);
}
