"""The data plane over the network: raw fetches and produces, transactions, and the records a flow keeps."""
